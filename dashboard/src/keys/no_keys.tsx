import { Button, Paper, Stack, Text, Title } from "@mantine/core";
import KeyRound from "lucide-react/icons/key-round";
import classes from "./keys.module.css";

/** Shown when the company has no keys yet: the way to the first answer. */
export function NoKeys({ onCreate }: { onCreate: () => void }) {
  return (
    <Paper withBorder p="var(--room)">
      <Stack gap="md" align="flex-start">
        <KeyRound aria-hidden size={40} />
        <Title order={2}>No keys yet</Title>
        <Text>
          A key lets one other system (a BI tool, a spreadsheet, a script) read your company's data, or import rewards.
        </Text>
        <ol className={classes.steps}>
          <li>Create a key for one system, name it after that system, and tick what it may see.</li>
          <li>
            Copy the key into that system. The page has the first lines for Power BI, Google Sheets, Python and others.
          </li>
          <li>See here when it is used, and revoke it at any time without touching the others.</li>
        </ol>
        <Button variant="filled" onClick={onCreate}>
          Create your first key
        </Button>
      </Stack>
    </Paper>
  );
}
