import { Button, Group, Text, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { Check, Copy } from "lucide-react";
import { useEffect } from "react";

const refused = "Your browser does not allow it: select the text and copy it.";

/** Puts a text on the clipboard and says so; where the browser forbids that, says how to do it by hand. */
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
 * The same inside a field, which has no room for words.
 * @param onRefused told what to say at the field
 */
export function CopyInField(props: {
  value: string;
  label: string;
  onCopied: () => void;
  onRefused: (words: string) => void;
}) {
  const clipboard = useClipboard({ timeout: 3000 });
  const { onCopied, onRefused } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once for each outcome, not whenever the page is drawn
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
    <Button variant="default" leftSection={<Icon aria-hidden size={16} />} onClick={onClick}>
      {label}
    </Button>
  );
}
