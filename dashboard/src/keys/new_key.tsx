import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useSession } from "../account/session.ts";
import { useAction } from "../account/use_action.ts";
import type { NewApiKey } from "../database.ts";
import { Actions } from "../parts/actions.tsx";
import { CopyButton } from "../parts/copy_button.tsx";
import { Hint, Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { When } from "../parts/when.tsx";
import { checkKey, type KeyCheck } from "./check_key.ts";
import { CheckedKey } from "./checked_key.tsx";
import { FirstRequest } from "./first_request.tsx";

/** A new key, what it is for if that was said, and the key that it replaces, if it replaces one. */
export type MadeKey = NewApiKey & { purpose?: string; replaced?: { hint: string; works_until: string | null } };

/**
 * Shows the new key, which is shown only this once, and the way to the first answer.
 * @param onCopied is called when somebody has the key: it was copied, or a program has used it
 */
export function NewKey({ made, onCopied, onDone }: { made: MadeKey; onCopied: () => void; onDone: () => void }) {
  const { api_key, name, replaced } = made;
  const session = useSession();
  const hasEnded = session.status !== "signed_in" || session.ended;
  const [checked, setChecked] = useState<KeyCheck | null>(null);
  const check = useAction(async () => setChecked(await checkKey(api_key)));
  const first = useRef<HTMLParagraphElement>(null);
  // The form before it may have been scrolled. (In braces: some browsers return a promise, which is no cleanup.)
  useEffect(() => {
    first.current?.scrollIntoView({ block: "nearest" });
  }, []);

  return (
    <Stack gap="lg">
      <Notice kind="problem">{hasEnded && "Your session has ended. Copy the key before you sign in again."}</Notice>
      <Text ref={first}>
        Copy the key now: it is shown only this once, and nobody can look it up later. Whoever has it can do what it
        allows, so keep it out of emails and chats.
      </Text>
      <Group gap="xs" align="flex-end">
        <TextInput
          label="API key"
          description={
            <>
              For <Name>{name}</Name>
            </>
          }
          value={api_key}
          readOnly
          spellCheck={false}
          autoFocus
          onFocus={(event) => event.currentTarget.select()}
          onCopy={onCopied}
          flex="1 1 16rem"
          // At this size no browser cuts off the underscores of the key.
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: "0.8125rem" } }}
        />
        <CopyButton value={api_key} label="Copy" variant="filled" onCopied={onCopied} />
      </Group>
      {replaced && (
        <Text>
          The old key <Hint>{replaced.hint}</Hint>{" "}
          {replaced.works_until === null ? "has stopped working" : "works until "}
          {replaced.works_until && <When at={replaced.works_until} as="end" />}.
        </Text>
      )}
      <Notice kind="problem">{check.problem?.message}</Notice>
      <CheckedKey checked={checked} />
      <FirstRequest made={made} isWatching={!hasEnded} onSeen={onCopied} />
      <Actions>
        <Button loading={check.pending} onClick={() => void check.run()}>
          Check key
        </Button>
        <Button onClick={onDone}>Done</Button>
      </Actions>
    </Stack>
  );
}
