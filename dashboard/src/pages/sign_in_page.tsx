import { Group, PasswordInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { signIn } from "../account/account.ts";
import { useAction } from "../account/use_action.ts";
import { Asker } from "../assistants/asker.tsx";
import { readRequest } from "../assistants/request.ts";
import { EmailField, entryOf, Form, Submit } from "../parts/form.tsx";
import { Link } from "../parts/link.tsx";
import { Notice } from "../parts/notice.tsx";
import { paths } from "../paths.ts";
import { navigationState } from "../router.ts";
import { AccountPage } from "./account_page.tsx";

/** Why this page is shown, if the person did not open it. */
function hint(): ReactNode {
  const { sessionLost, linkRefused, returnTo } = navigationState();
  const request = returnTo?.startsWith(paths.assistant) ? readRequest(returnTo.slice(paths.assistant.length)) : null;
  if (request)
    return (
      <>
        <Asker request={request} /> wants to read the data of your company. Sign in to see what, and to agree or refuse.
      </>
    );
  if (sessionLost) return "Your session has ended. Sign in again to go on where you were.";
  if (linkRefused)
    return "That link signs nobody in: only an invitation and “Forgot password?” do. Sign in with your email address and your password.";
  return null;
}

/** The fields from before the scripts were there (build/first_sign_in.tsx). */
const first = (name: string) => document.querySelector<HTMLInputElement>(`#first [name=${name}]`);

/** Signs in with email address and password. Once there is a session, Dashboard shows the next page. */
export function SignInPage() {
  const { run, pending, problem } = useAction(signIn);
  const [typed] = useState({ email: first("email")?.value, password: first("password")?.value });
  const [isInPassword] = useState(() => first("password") === document.activeElement);
  return (
    <AccountPage title="Sign in">
      <Notice kind="hint">{!problem && hint()}</Notice>
      <Notice kind="problem">{problem?.message}</Notice>
      <Form onSubmit={(entered) => void run(entryOf(entered, "email"), String(entered.get("password")))}>
        <EmailField typed={typed.email} />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          defaultValue={typed.password}
          autoFocus={isInPassword}
          required
        />
        <Group justify="space-between" mt="xs">
          <Link to={paths.forgotPassword}>Forgot password?</Link>
          <Submit pending={pending}>Sign in</Submit>
        </Group>
      </Form>
    </AccountPage>
  );
}
