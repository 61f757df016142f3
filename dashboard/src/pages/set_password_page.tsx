import { PasswordInput, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { setPassword } from "../account/account.ts";
import { currentLink } from "../account/email_link.ts";
import { useAction } from "../account/use_action.ts";
import { Form, Submit } from "../parts/form.tsx";
import { Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { paths } from "../paths.ts";
import { Problem } from "../problems.ts";
import { type NavigationState, navigate, navigationState } from "../router.ts";
import { WantedForm } from "../second_factor/code_form.tsx";
import { AccountPage } from "./account_page.tsx";
import { OpenLink } from "./open_link.tsx";
import { PasswordLinkForm } from "./password_link_form.tsx";

/**
 * The page that the links of an invitation and of "Forgot password?" open. The link signs the person in, then they set
 * their password.
 * @param email address of the signed-in person, or null
 */
export function SetPasswordPage({ email }: { email: string | null }) {
  const [link, setLink] = useState(currentLink);
  const isDead = email === null || navigationState().linkFailed;

  function leaveLink(state: NavigationState = {}): void {
    navigate(paths.setPassword, state, "replace");
    setLink(null);
  }

  return (
    <AccountPage title="Set a password">
      {link ? (
        <OpenLink link={link} signedInAs={email} onOpened={leaveLink} onDead={() => leaveLink({ linkFailed: true })} />
      ) : isDead ? (
        <>
          <Notice kind="warning">This link has expired or was used before.</Notice>
          <PasswordLinkForm explanation="Ask for a new one: it works once, and for a limited time." />
        </>
      ) : (
        <SetPasswordForm email={email} />
      )}
    </AccountPage>
  );
}

/** The minimum length of a password; Auth may require more (docs/operate/dashboard.md, Settings in Supabase Auth). */
const shortest = 8;
const passwordRule = `At least ${shortest} characters. Long beats complicated: four unrelated words are good.`;

function SetPasswordForm({ email }: { email: string }) {
  const entered = useRef("");
  const { run, pending, problem, forget } = useAction(async (password: string) => {
    entered.current = password;
    if ([...password].length < shortest) throw new Problem("field", `Use at least ${shortest} characters.`, "password");
    await setPassword(password);
    navigate(paths.publicApi, {}, "replace");
  });
  const atField = problem?.kind === "field";
  // Auth changes no password without it; what was entered stays.
  if (problem?.kind === "second_factor") return <WantedForm onShown={() => run(entered.current)} />;
  return (
    <Form onSubmit={(fields) => void run(String(fields.get("password")))}>
      <Text>
        The password with which <Name strong>{email}</Name> signs in from now on.
      </Text>
      {/* Tells password managers whose password this is. */}
      <input type="hidden" name="username" autoComplete="username" value={email} />
      <Notice kind="problem">{!atField && problem?.message}</Notice>
      <PasswordInput
        label="New password"
        description={passwordRule}
        autoFocus
        onChange={forget}
        name="password"
        autoComplete="new-password"
        error={atField && problem.message}
        aria-invalid={atField}
        required
      />
      <Submit pending={pending}>Set password</Submit>
    </Form>
  );
}
