import { Stack, Text, Title } from "@mantine/core";
import { Aside } from "../parts/name.tsx";
import { CodeForm } from "./code_form.tsx";
import { showFactor } from "./factor.ts";

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
