import { Button, Text } from "@mantine/core";
import { signOut, useSession } from "../account/session.ts";
import type { Member } from "../database.ts";
import { After, Name } from "../parts/name.tsx";
import { signInLink } from "./header_bar.tsx";
import classes from "./pages.module.css";

/** Who is signed in, with Sign out; else the way to sign in. */
export function Person({ member }: { member: Member | null }) {
  const session = useSession();
  if (session.status === "signed_out") return signInLink;
  if (session.status !== "signed_in") return null;
  return (
    <>
      <Text size="sm" component="div" className={classes.person}>
        <Name>{member?.name ?? session.email}</Name>
        <Text span inherit c="dimmed">
          <After words=" · ">{member?.company_name}</After>
        </Text>
      </Text>
      <Button size="xs" onClick={() => void signOut()}>
        Sign out
      </Button>
    </>
  );
}
