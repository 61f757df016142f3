import { Breadcrumbs, Button, Container, Group, Text } from "@mantine/core";
import { signOut } from "../account/session.ts";
import type { Member } from "../database.ts";
import { Mark } from "../parts/mark.tsx";
import { Name } from "../parts/name.tsx";
import classes from "./pages.module.css";

/** The header of the page: breadcrumbs, the signed-in person, and the button that signs out. */
export function Header({ member, email }: { member: Member | null; email: string }) {
  return (
    <header className={classes.header}>
      <Container size={1280} className={classes.bar}>
        <Mark />
        <Group gap="md">
          <Text size="sm">
            <Name>{member?.name ?? email}</Name>
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
        </Group>
      </Container>
      <Container size={1280}>
        <nav aria-label="Breadcrumbs">
          <Breadcrumbs separator="→" separatorMargin="xs" mt="xs">
            <Text size="sm" c="dimmed">
              Integrations
            </Text>
            <Text size="sm" aria-current="page">
              Public API
            </Text>
          </Breadcrumbs>
        </nav>
      </Container>
    </header>
  );
}
