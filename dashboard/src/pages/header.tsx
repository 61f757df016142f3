import { Button, Text } from "@mantine/core";
import { signOut, useSession } from "../account/session.ts";
import type { Member } from "../database.ts";
import { Name } from "../parts/name.tsx";
import { type Crumb, HeaderBar, SignInButton } from "./header_bar.tsx";
import classes from "./pages.module.css";

/** The header of every page behind the sign-in page: where one is, who is signed in, Sign out. */
export function Header({ member, crumbs }: { member: Member | null; crumbs: Crumb[] }) {
  return (
    <HeaderBar crumbs={crumbs}>
      <Person member={member} />
    </HeaderBar>
  );
}

/** Who is signed in, with Sign out; else the way to sign in. */
export function Person({ member }: { member: Member | null }) {
  const session = useSession();
  return (
    <>
      {session.status === "signed_in" && (
        <>
          <Text size="sm" component="div" className={classes.person}>
            <Name>{member?.name ?? session.email}</Name>
            {member?.company_name && (
              <Text span inherit c="dimmed">
                {" · "}
                <Name>{member.company_name}</Name>
              </Text>
            )}
          </Text>
          <Button variant="default" size="xs" onClick={() => void signOut()}>
            Sign out
          </Button>
        </>
      )}
      {session.status === "signed_out" && <SignInButton />}
    </>
  );
}
