import { Anchor, Breadcrumbs, Button, Container, Group, Text } from "@mantine/core";
import { signOut, useSession } from "../account/session.ts";
import type { Member } from "../database.ts";
import { Mark } from "../parts/mark.tsx";
import { Name } from "../parts/name.tsx";
import { paths } from "../paths.ts";
import classes from "./pages.module.css";

/** A step to the page: words, and the address if it is a page of its own. */
type Crumb = { words: string; href?: string };

/** The header of every page behind the sign-in page, and of the reference: where one is, who is signed in, Sign out. */
export function Header({ member, crumbs }: { member: Member | null; crumbs: Crumb[] }) {
  const session = useSession();
  return (
    <header className={classes.header}>
      <Container size={1280} className={classes.bar}>
        <Mark />
        <Group gap="md">
          {session.status === "signed_in" && (
            <>
              <Text size="sm">
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
          {session.status === "signed_out" && (
            <Button component="a" href={paths.signIn} variant="default" size="xs">
              Sign in
            </Button>
          )}
        </Group>
      </Container>
      <Container size={1280}>
        <nav aria-label="Breadcrumbs">
          <Breadcrumbs separator="→" separatorMargin="xs" mt="xs" className={classes.crumbs}>
            {crumbs.map(({ words, href }, place) => {
              const isHere = place === crumbs.length - 1;
              if (href !== undefined && !isHere)
                return (
                  <Anchor key={words} size="sm" href={href}>
                    {words}
                  </Anchor>
                );
              return (
                <Text key={words} size="sm" {...(isHere ? { "aria-current": "page" } : { c: "dimmed" })}>
                  {words}
                </Text>
              );
            })}
          </Breadcrumbs>
        </nav>
      </Container>
    </header>
  );
}
