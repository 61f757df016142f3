import { Button, Container, Group, Text } from "@mantine/core";
import { signOut } from "../account/session.ts";
import type { Member } from "../database.ts";
import { Mark } from "../parts/mark.tsx";
import classes from "./pages.module.css";

/** The header of the page: breadcrumbs, the signed-in person, and the button that signs out. */
export function Header({ member, email }: { member: Member | null; email: string }) {
  return (
    <header className={classes.header}>
      <Container size={1280} className={classes.bar}>
        <Mark />
        <Group gap="md">
          <Text size="sm" className={classes.breakable}>
            {member?.name ?? email}
            {member?.company_name && <span className={classes.company}>{member.company_name}</span>}
          </Text>
          <Button variant="default" size="xs" onClick={() => void signOut()}>
            Sign out
          </Button>
        </Group>
      </Container>
      <Container size={1280}>
        <nav aria-label="Breadcrumbs">
          <ol className={classes.breadcrumbs}>
            <li>Integrations</li>
            <li aria-current="page">Public API</li>
          </ol>
        </nav>
      </Container>
    </header>
  );
}
