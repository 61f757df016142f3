import { Breadcrumbs, Button, Container, Group, Text } from "@mantine/core";
import { signOut } from "../account/session.ts";
import type { Member } from "../database.ts";
import { Link } from "../parts/link.tsx";
import { Mark } from "../parts/mark.tsx";
import { paths } from "../paths.ts";
import classes from "./pages.module.css";

/** Where one is, who one is, and the way out. */
export function Header({ member, email }: { member: Member | null; email: string }) {
  return (
    <header className={classes.header}>
      <Container size={1120} className={classes.bar}>
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
      <Container size={1120}>
        <nav aria-label="Breadcrumbs">
          <Breadcrumbs separator="→" separatorMargin="xs" className={classes.breadcrumbs}>
            <Text size="sm" c="dimmed">
              Integrations
            </Text>
            <Link to={paths.publicApi} current>
              Public API
            </Link>
          </Breadcrumbs>
        </nav>
      </Container>
    </header>
  );
}
