import { Button, Text } from "@mantine/core";
import { signOut, useSession } from "../account/session.ts";
import type { Member } from "../database.ts";
import { After, Name } from "../parts/name.tsx";
import { SecondFactorButton } from "../second_factor/button.tsx";
import { signInLink } from "./header_bar.tsx";
import classes from "./pages.module.css";

/** Who is signed in, with Sign out; else the way to sign in. */
export function Person({ member }: { member: Member | null }) {
  const session = useSession();
  return (
    <>
      {session.status === "signed_in" && (
        <>
          <Text size="sm" component="div" className={classes.person}>
            <Name>{member?.name ?? session.email}</Name>
            <Text span inherit c="dimmed">
              <After words=" · ">{member?.company_name ?? null}</After>
            </Text>
          </Text>
          {member?.role === "admin" && <SecondFactorButton />}
          <Button variant="default" size="xs" onClick={() => void signOut()}>
            Sign out
          </Button>
        </>
      )}
      {session.status === "signed_out" && signInLink}
    </>
  );
}
