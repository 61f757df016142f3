import { Group, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useAction } from "../account/use_action.ts";
import type { ApiKey } from "../database.ts";
import { entryOf, Form, Submit } from "../parts/form.tsx";
import { Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { When } from "../parts/when.tsx";
import type { Problem } from "../problems.ts";
import { checkKey, type KeyCheck, pastedKey } from "./check_key.ts";
import { CheckedKey } from "./checked_key.tsx";
import { Other } from "./key_drawer.tsx";
import { useKeys } from "./keys_of_page.ts";

/** What the list knows about a key with the same ending as the key that the API has just refused. */
function known({ revoked_at, revoked_by, status, expires_at }: ApiKey): ReactNode {
  if (revoked_at !== null)
    return (
      <>
        {revoked_by === null ? "An operator" : <Name>{revoked_by}</Name>} revoked it on <When at={revoked_at} />.
      </>
    );
  if (status === "expired" && expires_at !== null)
    return (
      <>
        It expired: it worked until <When at={expires_at} as="end" />.
      </>
    );
  return "That one works, so the pasted text differs from it somewhere before its end.";
}

/** Why a key was refused, with the listed keys that have the same ending. */
function explained({ kind, message }: Problem, tail: string, keys: ApiKey[]): ReactNode {
  const alike = kind === "refused" ? keys.filter(({ hint }) => hint.endsWith(tail)) : [];
  if (alike.length === 0) return message;
  const words = alike.map((key) => (
    <span key={key.id}>
      {" "}
      It ends like <Other apiKey={key} />. {known(key)}
    </span>
  ));
  return <>This key does not work.{words}</>;
}

/** Checks a pasted key with the API. The browser does not remember the field, which is emptied when the key works. */
export function QuickCheck({ onChecked }: { onChecked: () => Promise<void> }) {
  const { keys } = useKeys();
  const [checked, setChecked] = useState<KeyCheck | null>(null);
  const [tail, setTail] = useState("");
  const { run, pending, problem, forget } = useAction(async (entered: FormData, form: HTMLFormElement) => {
    const apiKey = pastedKey(entryOf(entered, "key"));
    setChecked(null);
    setTail(apiKey.slice(-4));
    try {
      setChecked(await checkKey(apiKey));
      form.reset();
    } finally {
      // Loads the list again: the key now has a check, or another admin has just revoked it.
      void onChecked();
    }
  });

  return (
    <Form onSubmit={(entered, form) => void run(entered, form)}>
      <Text size="sm" c="dimmed">
        Does a key work, and what does it open? Paste it here: it is sent to the API and stored nowhere. This is not
        counted as a use of the key.
      </Text>
      <Group gap="sm" align="flex-end">
        <TextInput
          label="Key to check"
          name="key"
          autoComplete="off"
          spellCheck={false}
          required
          onChange={forget}
          flex="1 1 16rem"
          data-autofocus
        />
        <Submit pending={pending}>Check key</Submit>
      </Group>
      <Notice kind="problem">{problem && explained(problem, tail, keys)}</Notice>
      <CheckedKey checked={checked} />
    </Form>
  );
}
