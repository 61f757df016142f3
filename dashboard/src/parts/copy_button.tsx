import { Button, Group, Text } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { Check, Copy } from "lucide-react";

/** Puts a text on the clipboard and says so; where the browser forbids that, says how to do it by hand. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const clipboard = useClipboard({ timeout: 3000 });
  return (
    <Group gap="xs">
      <Button
        variant="default"
        leftSection={clipboard.copied ? <Check aria-hidden size={16} /> : <Copy aria-hidden size={16} />}
        onClick={() => clipboard.copy(value)}
      >
        {label}
      </Button>
      <Text role="status" size="sm" c={clipboard.error ? "var(--mantine-color-error)" : "dimmed"}>
        {clipboard.error
          ? "Your browser does not allow it: select the text and copy it."
          : clipboard.copied
            ? "Copied"
            : ""}
      </Text>
    </Group>
  );
}
