import { Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { signInByLink } from "../account/account.ts";
import { type EmailLink, spendLink, type UsedLink, whoseLink } from "../account/email_link.ts";
import { useAction, useLoading } from "../account/use_action.ts";
import { Failed } from "../parts/failed.tsx";
import { Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { paths } from "../paths.ts";
import { Problem } from "../problems.ts";
import { navigate } from "../router.ts";

type Opening = { signedInAs: string | null; onOpened: () => void; onDead: () => void };

/** Opens the link of an email: uses it up, if it is not used yet, and signs in by it, each after a click. */
export function OpenLink({ link, ...opening }: Opening & { link: EmailLink }) {
  const [used, setUsed] = useState<UsedLink | null>("token_hash" in link ? null : link);
  const use = useAction(async () => {
    if (!("token_hash" in link)) return;
    await orDead(async () => setUsed(await spendLink(link)), opening.onDead);
  });
  if (used !== null) return <SignInByLink link={used} {...opening} />;
  return (
    <Stack gap="lg">
      <Text>
        Your link lets you set a password. It works once, and it waits for you here: programs that look through emails
        may open it too, but they press no button.
      </Text>
      <Notice kind="problem">{use.problem?.message}</Notice>
      <Button variant="filled" loading={use.pending} onClick={() => void use.run()}>
        Use the link
      </Button>
    </Stack>
  );
}

/** Calls `onDead` if the link has expired or was used before. */
async function orDead(step: () => Promise<void>, onDead: () => void): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (error instanceof Problem && error.kind === "refused") onDead();
    else throw error;
  }
}

/**
 * Signs in by a link, after the person has confirmed whose account it opens: anybody can make a link to an account of
 * their own, and a person who does not notice it would work in the wrong company.
 */
function SignInByLink(props: Opening & { link: UsedLink }) {
  const { link, onOpened, onDead } = props;
  // As it was when the page opened: signing in by the link changes it.
  const [signedInAs] = useState(props.signedInAs);
  const [owner, setOwner] = useState<string | null>(null);

  const signIn = useAction(async () => {
    await signInByLink(link);
    onOpened();
  });
  const look = useLoading(() => orDead(async () => setOwner(await whoseLink(link)), onDead));

  if (look.problem) return <Failed onTryAgain={look.again}>{look.problem.message}</Failed>;
  if (owner === null) return <Waiting what="Opening the link" />;
  const replaces = signedInAs !== null && signedInAs !== owner;
  return (
    <Stack gap="lg">
      <Text>
        This link signs you in as <Name strong>{owner}</Name>
        {replaces && (
          <>
            {" "}
            and signs <Name strong>{signedInAs}</Name> out
          </>
        )}
        . Continue only if this is your account.
      </Text>
      <Notice kind="problem">{signIn.problem?.message}</Notice>
      <Stack gap="sm">
        <Button variant={replaces ? "default" : "filled"} loading={signIn.pending} onClick={() => void signIn.run()}>
          Continue
        </Button>
        <Button
          variant={replaces ? "filled" : "default"}
          autoFocus={replaces}
          onClick={() => navigate(signedInAs === null ? paths.signIn : paths.publicApi, {}, "replace")}
        >
          {signedInAs === null ? "This is not my account" : "Stay signed in"}
        </Button>
      </Stack>
    </Stack>
  );
}
