import { Button, type ButtonProps, Group, Text } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { useEffect } from "react";

type CopyButtonProps = Pick<ButtonProps, "variant" | "size"> & { value: string; label: string; onCopied?: () => void };

/**
 * Copies a text to the clipboard and says so. If the browser forbids that, it says how to copy by hand.
 * @param onCopied is called each time the text has been copied
 */
export function CopyButton({ value, label, onCopied, ...looks }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 3000 });
  const Icon = clipboard.copied ? Check : Copy;
  // biome-ignore lint/correctness/useExhaustiveDependencies: called once for each copy, not on every render
  useEffect(() => {
    if (clipboard.copied) onCopied?.();
  }, [clipboard.copied]);
  return (
    <Group gap="xs">
      <Button
        {...looks}
        flex="none"
        // A file that has not arrived yet.
        disabled={value === ""}
        leftSection={<Icon aria-hidden size={16} />}
        onClick={() => clipboard.copy(value)}
      >
        {label}
      </Button>
      <Text role="status" size="sm" c={clipboard.error ? "var(--mantine-color-error)" : "dimmed"}>
        {clipboard.error ? refused : clipboard.copied ? "Copied" : ""}
      </Text>
    </Group>
  );
}

const refused = "Your browser does not allow it: select the text and copy it.";
