import { Button, Code, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { useAction } from "../account/use_action.ts";
import type { NewApiKey } from "../database.ts";
import { Actions } from "../parts/actions.tsx";
import { CopyButton, CopyInField } from "../parts/copy_button.tsx";
import { Notice } from "../parts/notice.tsx";
import { checkKey, type KeyCheck } from "./check_key.ts";
import { CheckedKey } from "./checked_key.tsx";
import { curlLine } from "./curl_line.ts";
import classes from "./keys.module.css";

/** Shows the new key, which is shown only this once. */
export function NewKey(props: {
  created: NewApiKey;
  onCopied: () => void;
  onDone: () => void;
  onChecked: () => Promise<void>;
}) {
  const { api_key, name } = props.created;
  const [refused, setRefused] = useState<string | null>(null);
  const [checked, setChecked] = useState<KeyCheck | null>(null);
  const check = useAction(async () => {
    setChecked(await checkKey(api_key));
    void props.onChecked();
  });

  return (
    <Stack gap="lg">
      <Notice kind="warning">
        Copy the key now: it is shown only this once, and nobody can look it up later. Whoever has it can do what it
        allows, so hand it over safely and keep it out of emails and chats.
      </Notice>
      <Textarea
        label="API key"
        description={`For ${name}`}
        value={api_key}
        readOnly
        rows={2}
        spellCheck={false}
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
        onCopy={props.onCopied}
        error={refused}
        className={classes.whole}
        classNames={{ input: classes.secret ?? "", section: classes.in_field ?? "" }}
        rightSectionWidth="6.5rem"
        rightSection={<CopyInField value={api_key} label="Copy" onCopied={props.onCopied} onRefused={setRefused} />}
      />
      <Stack gap="xs" align="flex-start">
        <Text size="sm" fw={500}>
          Try it on a command line
        </Text>
        <Text size="sm" c="dimmed">
          It asks for the key, so that the key gets into no history. Paste it there: nothing shows.
        </Text>
        <Code block className={classes.curl}>
          {curlLine}
        </Code>
        <CopyButton value={curlLine} label="Copy curl line" />
      </Stack>
      {check.problem && <Notice kind="problem">{check.problem.message}</Notice>}
      {checked && <CheckedKey checked={checked} />}
      <Actions>
        <Button variant="default" loading={check.pending} onClick={() => void check.run()}>
          Check key
        </Button>
        <Button onClick={props.onDone}>Done</Button>
      </Actions>
    </Stack>
  );
}
