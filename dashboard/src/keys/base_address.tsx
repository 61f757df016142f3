import { Code, Paper, Stack, Text, Title } from "@mantine/core";
import { CopyButton } from "../parts/copy_button.tsx";
import { baseAddress } from "../settings.ts";
import classes from "./keys.module.css";

/** The base address of the API, to copy. */
export function BaseAddress() {
  return (
    <Stack component="section" aria-labelledby="base-address" gap="md">
      <Title order={2} id="base-address">
        Base address
      </Title>
      <Paper className={classes.panel}>
        <Stack gap="md" align="flex-start">
          <Text size="sm" c="dimmed">
            Every path of the API is relative to it, and every request carries a key.
          </Text>
          <Code className={classes.address}>{baseAddress}</Code>
          <CopyButton value={baseAddress} label="Copy base address" />
        </Stack>
      </Paper>
    </Stack>
  );
}
