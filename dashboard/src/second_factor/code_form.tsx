import { Stack, Text, TextInput, Title } from "@mantine/core";
import { useAction } from "../account/use_action.ts";
import { entryOf, Form, Submit } from "../parts/form.tsx";
import { Aside } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { Problem } from "../problems.ts";
import { showFactor } from "./factor.ts";

/** Asks for the code that the app shows now. */
export function CodeForm({ words, onCode }: { words: string; onCode: (code: string) => Promise<void> }) {
  const { run, pending, problem, forget } = useAction(async (entered: string) => {
    const code = entered.replaceAll(/\s/g, "");
    if (!/^\d{6}$/.test(code)) throw new Problem("field", "Enter the six digits that the app shows now.", "code");
    await onCode(code);
  });
  const atField = problem?.kind === "field";
  return (
    <Form noValidate onSubmit={(entered) => void run(entryOf(entered, "code"))}>
      <TextInput
        label="Code"
        description="Six digits, from your authenticator app."
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        onChange={forget}
        error={atField && problem.message}
      />
      <Notice kind="problem">{!atField && problem?.message}</Notice>
      <Submit pending={pending}>{words}</Submit>
    </Form>
  );
}

/** Asks for the second factor, which a password does not replace. */
export function WantedForm({ onShown }: { onShown: () => Promise<void> }) {
  return (
    <Stack gap="md" w="100%" maw={460}>
      <Title order={2}>Enter your code</Title>
      <Text>Your account has a second factor: the authenticator app on your phone.</Text>
      <CodeForm
        words="Continue"
        onCode={async (code) => {
          await showFactor(code);
          await onShown();
        }}
      />
      <Aside>Is the phone lost? Ask whoever runs the service to remove the factor.</Aside>
    </Stack>
  );
}
