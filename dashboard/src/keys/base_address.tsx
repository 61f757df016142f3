import { Code, Group, Text } from "@mantine/core";
import { CopyButton } from "../parts/copy_button.tsx";
import { baseAddress } from "../settings.ts";
import classes from "./keys.module.css";

/** The base address of the API, which every path is relative to, as one line to copy. */
export function BaseAddress() {
  return (
    <Group gap="xs">
      <Text size="sm">Base address</Text>
      <Code fz="sm" p="0.4rem 0.6rem" className={classes.baseAddress}>
        {baseAddress}
      </Code>
      <CopyButton value={baseAddress} label="Copy base address" size="xs" />
    </Group>
  );
}
