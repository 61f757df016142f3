import { Button, Paper, Stack, Text, Title } from "@mantine/core";
import KeyRound from "lucide-react/icons/key-round";

/** Shown when the company has no keys yet: the way to the first answer. */
export function NoKeys({ onCreate }: { onCreate: () => void }) {
  return (
    <Paper withBorder p="var(--room)">
      <Stack gap="md" align="flex-start">
        <KeyRound aria-hidden size={40} />
        <Title order={2}>No keys yet</Title>
        <Text>
          A key lets one other system (a BI tool, a spreadsheet, a script) read your company's data, or import rewards.
          You get the first steps with it, see here when it is used, and revoke it without touching the others.
        </Text>
        <Button variant="filled" onClick={onCreate}>
          Create your first key
        </Button>
      </Stack>
    </Paper>
  );
}
