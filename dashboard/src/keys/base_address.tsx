import { Anchor, Code, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { CopyButton } from "../parts/copy_button.tsx";
import { baseAddress } from "../settings.ts";
import classes from "./keys.module.css";

/** The base address of the API, to copy. */
export function BaseAddress() {
  return (
    <Paper component="section" aria-labelledby="base-address" className={classes.panel}>
      <Stack gap="sm">
        <Title order={2} size="h4" id="base-address">
          Base address
        </Title>
        <Group gap="sm">
          <Code className={classes.address}>{baseAddress}</Code>
          <CopyButton value={baseAddress} label="Copy base address" />
        </Group>
        <Text size="sm" c="dimmed">
          Every path of the API is relative to it. Every request carries a key.{" "}
          <Anchor href="/reference/" size="sm" underline="always">
            API reference
          </Anchor>
        </Text>
      </Stack>
    </Paper>
  );
}
