import { Button, Group, PasswordInput, TextInput } from "@mantine/core";
import { signIn } from "../account/account.ts";
import { useAction } from "../account/use_action.ts";
import { entryOf, Form } from "../parts/form.tsx";
import { Link } from "../parts/link.tsx";
import { Notice } from "../parts/notice.tsx";
import { paths } from "../paths.ts";
import { navigationState } from "../router.ts";
import { AccountPage } from "./account_page.tsx";

/** Why this page is shown, if the person did not open it. */
function hint(): string | null {
  const { sessionLost, linkRefused } = navigationState();
  if (sessionLost) return "Your session has ended. Sign in again to go on where you were.";
  if (linkRefused)
    return "That link signs nobody in: only an invitation and “Forgot password?” do. Sign in with your email address and your password.";
  return null;
}

/** Signs in with email address and password. Once there is a session, Dashboard shows the next page. */
export function SignInPage() {
  const { run, pending, problem } = useAction(signIn);
  return (
    <AccountPage title="Sign in">
      <Notice kind="hint">{!problem && hint()}</Notice>
      <Notice kind="problem">{problem?.message}</Notice>
      <Form onSubmit={(entered) => void run(entryOf(entered, "email"), String(entered.get("password")))}>
        <TextInput label="Email" name="email" type="email" autoComplete="username" required autoFocus />
        <PasswordInput label="Password" name="password" autoComplete="current-password" required />
        <Group justify="space-between" mt="xs">
          <Link to={paths.forgotPassword}>Forgot password?</Link>
          <Button type="submit" loading={pending}>
            Sign in
          </Button>
        </Group>
      </Form>
    </AccountPage>
  );
}
