import { Text } from "@mantine/core";
import { useState } from "react";
import { sendPasswordLink } from "../account/account.ts";
import { useAction } from "../account/use_action.ts";
import { EmailField, entryOf, Form, Submit } from "../parts/form.tsx";
import { Link } from "../parts/link.tsx";
import { Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { paths } from "../paths.ts";

/** The form that requests an email with the link to set a password. */
export function PasswordLinkForm({ explanation }: { explanation: string }) {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { run, pending, problem } = useAction(async (email: string) => {
    setSentTo(null);
    await sendPasswordLink(email);
    setSentTo(email);
  });
  return (
    <Form onSubmit={(entered) => void run(entryOf(entered, "email"))}>
      <Text>{explanation}</Text>
      <EmailField />
      <Notice kind="problem">{problem?.message}</Notice>
      <Notice kind="done">
        {sentTo !== null && (
          <>
            If <Name>{sentTo}</Name> has an account, an email with a link is on its way. Look into your spam folder too.
            No email after some minutes? Then ask whoever runs the service to invite you.
          </>
        )}
      </Notice>
      <Submit pending={pending}>Send link</Submit>
      <Link to={paths.signIn}>Back to sign-in</Link>
    </Form>
  );
}
