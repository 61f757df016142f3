import { Button, Group, Text, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { useEffect } from "react";

const refused = "Your browser does not allow it: select the text and copy it.";

/** Copies a text to the clipboard and confirms it. If the browser forbids that, it says how to copy by hand. */
export function CopyButton({ value, label }: { value: string; label: string }) {
  const clipboard = useClipboard({ timeout: 3000 });
  return (
    <Group gap="xs">
      <CopyIconButton label={label} copied={clipboard.copied} onClick={() => clipboard.copy(value)} />
      <Text role="status" size="sm" c={clipboard.error ? "var(--mantine-color-error)" : "dimmed"}>
        {clipboard.error ? refused : clipboard.copied ? "Copied" : ""}
      </Text>
    </Group>
  );
}

/**
 * The copy button inside a field, which has no room for a message.
 * @param onRefused is called with the message to show at the field
 */
export function CopyInField(props: {
  value: string;
  label: string;
  onCopied: () => void;
  onRefused: (words: string) => void;
}) {
  const clipboard = useClipboard({ timeout: 3000 });
  const { onCopied, onRefused } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: called once for each outcome, not on every render
  useEffect(() => {
    if (clipboard.error) onRefused(refused);
    else if (clipboard.copied) onCopied();
  }, [clipboard.error, clipboard.copied]);
  return (
    <>
      <CopyIconButton label={props.label} copied={clipboard.copied} onClick={() => clipboard.copy(props.value)} />
      <VisuallyHidden role="status">{clipboard.copied ? "Copied" : ""}</VisuallyHidden>
    </>
  );
}

function CopyIconButton({ label, copied, onClick }: { label: string; copied: boolean; onClick: () => void }) {
  const Icon = copied ? Check : Copy;
  return (
    <Button variant="default" flex="none" leftSection={<Icon aria-hidden size={16} />} onClick={onClick}>
      {label}
    </Button>
  );
}
