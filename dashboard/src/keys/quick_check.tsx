import { Button, Paper, Stack, Text, TextInput, Title } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useAction } from "../account/use_action.ts";
import { checkKey, type KeyCheck, pastedKey } from "../check_key.ts";
import { Notice } from "../parts/notice.tsx";
import { CheckedKey } from "./checked_key.tsx";
import classes from "./keys.module.css";

/** Tries a pasted key against the API. The key stays in the field, which the browser is told not to remember, until it has answered. */
export function QuickCheck({ onChecked }: { onChecked: () => Promise<void> }) {
  const [checked, setChecked] = useState<KeyCheck | null>(null);
  const { run, pending, problem } = useAction(async (form: HTMLFormElement) => {
    setChecked(null);
    setChecked(await checkKey(pastedKey(String(new FormData(form).get("key")))));
    form.reset();
    void onChecked();
  });

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    void run(event.currentTarget);
  }

  return (
    <Stack component="section" aria-labelledby="quick-check" gap="md">
      <Title order={2} size="h4" id="quick-check">
        Quick check
      </Title>
      <Paper className={classes.panel}>
        <form onSubmit={submit}>
          <Stack gap="md">
            <Text>Does a key work, and what does it open? Paste it here: it is sent to the API and kept nowhere.</Text>
            <div className={classes.check}>
              <TextInput
                label="Key to check"
                name="key"
                autoComplete="off"
                spellCheck={false}
                required
                withAsterisk={false}
                className={classes.key}
              />
              <Button type="submit" variant="default" loading={pending}>
                Check key
              </Button>
            </div>
            {problem && <Notice kind="problem">{problem.message}</Notice>}
            {checked && <CheckedKey checked={checked} />}
          </Stack>
        </form>
      </Paper>
    </Stack>
  );
}
