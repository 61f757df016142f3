import { Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useSession } from "../account/session.ts";
import { useAction } from "../account/use_action.ts";
import type { NewApiKey } from "../database.ts";
import { Actions } from "../parts/actions.tsx";
import { CopyButton, CopyInField } from "../parts/copy_button.tsx";
import { Hint, Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { When } from "../parts/when.tsx";
import { baseAddress } from "../settings.ts";
import { checkKey, type KeyCheck } from "./check_key.ts";
import { CheckedKey } from "./checked_key.tsx";
import classes from "./keys.module.css";

/** A new key, and the key that it replaces, if it replaces one. */
export type MadeKey = NewApiKey & { replaced?: { hint: string; works_until: string | null } };

/** Shows the new key, which is shown only this once. */
export function NewKey({ made, onCopied, onDone }: { made: MadeKey; onCopied: () => void; onDone: () => void }) {
  const { api_key, name, replaced } = made;
  const session = useSession();
  const [refused, setRefused] = useState<string | null>(null);
  const [checked, setChecked] = useState<KeyCheck | null>(null);
  const check = useAction(async () => setChecked(await checkKey(api_key)));

  return (
    <Stack gap="lg">
      <Notice kind="problem">
        {session.status === "signed_in" &&
          session.ended &&
          "Your session has ended. Copy the key before you sign in again."}
      </Notice>
      <Text>
        Copy the key now: it is shown only this once, and nobody can look it up later. Whoever has it can do what it
        allows, so keep it out of emails and chats.
      </Text>
      <Group gap="xs" align="flex-end" wrap="nowrap">
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
          className={classes.grow}
          classNames={{ input: classes.secret ?? "" }}
        />
        <CopyInField value={api_key} label="Copy" onCopied={onCopied} onRefused={setRefused} />
      </Group>
      <Notice kind="problem">{refused}</Notice>
      {replaced && (
        <Text>
          {replaced.works_until === null ? (
            <>
              The old key <Hint>{replaced.hint}</Hint> has stopped working.
            </>
          ) : (
            <>
              The old key <Hint>{replaced.hint}</Hint> works until <When at={replaced.works_until} as="end" />.
            </>
          )}
        </Text>
      )}
      <details className={classes.folded}>
        <summary>Try it on a command line</summary>
        <Stack gap="xs" mt="xs">
          <Text size="sm" c="dimmed">
            The command asks for the key, so it stays out of your shell history. Paste it; nothing will appear.
          </Text>
          <Code block className={classes.curl}>
            {curlLine}
          </Code>
          <CopyButton value={curlLine} label="Copy command" />
        </Stack>
      </details>
      <Notice kind="problem">{check.problem?.message}</Notice>
      <CheckedKey checked={checked} />
      <Actions>
        <Button variant="default" loading={check.pending} onClick={() => void check.run()}>
          Check key
        </Button>
        <Button onClick={onDone}>Done</Button>
      </Actions>
    </Stack>
  );
}

/**
 * A command for bash and zsh that asks for the key. So the key is neither in the shell's history nor in the list of
 * processes, where it would be as a part of the command.
 */
export const curlLine = `printf 'API key: ' && read -rs KEY && printf 'X-API-Key: %s' "$KEY" | curl -H @- ${baseAddress}`;
