import { Button, Group, Stack, TextInput } from "@mantine/core";
import type { FormEvent } from "react";
import { signIn } from "../account/account.ts";
import { useAction } from "../account/use_action.ts";
import { Link } from "../parts/link.tsx";
import { Notice } from "../parts/notice.tsx";
import { paths } from "../paths.ts";
import { currentErrand } from "../router.ts";
import { AccountPage } from "./account_page.tsx";

/** Signs in with email address and password. Once there is a session, Dashboard shows the next page. */
export function SignInPage() {
  const { run, pending, problem } = useAction(signIn);

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const entered = new FormData(event.currentTarget);
    void run(String(entered.get("email")).trim(), String(entered.get("password")));
  }

  return (
    <AccountPage title="Sign in">
      {currentErrand().sessionLost && !problem && (
        <Notice kind="hint">Your session has ended. Sign in again to go on where you were.</Notice>
      )}
      {currentErrand().linkRefused && !problem && (
        <Notice kind="hint">
          That link signs nobody in: only an invitation and “Forgot password?” do. Sign in with your email address and
          your password.
        </Notice>
      )}
      {problem && <Notice kind="problem">{problem.message}</Notice>}
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label="Email"
            name="email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            autoFocus
          />
          <TextInput
            label="Password"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
          />
          <Group justify="space-between" mt="xs">
            <Link to={paths.forgotPassword}>Forgot password?</Link>
            <Button type="submit" loading={pending}>
              Sign in
            </Button>
          </Group>
        </Stack>
      </form>
    </AccountPage>
  );
}
