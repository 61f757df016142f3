import { Button, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { signInByLink } from "../account/account.ts";
import { type EmailLink, whoseLink } from "../account/email_link.ts";
import { useAction } from "../account/use_action.ts";
import { Notice } from "../parts/notice.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { paths } from "../paths.ts";
import { Problem } from "../problems.ts";
import { navigate } from "../router.ts";
import classes from "./pages.module.css";

/** Signs in by a link. Asks first if that would replace the session of another person. */
export function OpenLink(props: {
  link: EmailLink;
  signedInAs: string | null;
  onOpened: () => void;
  onDead: () => void;
}) {
  const { link, signedInAs, onOpened, onDead } = props;
  const [owner, setOwner] = useState<string | null>(null);

  const signIn = useAction(async () => {
    await signInByLink(link);
    onOpened();
  });
  const look = useAction(async () => {
    try {
      const email = await whoseLink(link);
      if (signedInAs !== null && signedInAs !== email) setOwner(email);
      else await signIn.run();
    } catch (error) {
      if (error instanceof Problem && error.kind === "refused") onDead();
      else throw error;
    }
  });
  // Only once, when the page opens: signing in by the link changes `signedInAs`.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => void look.run(), []);

  const problem = look.problem ?? signIn.problem;
  if (problem) {
    return (
      <Stack gap="md" align="flex-start">
        <Notice kind="problem">{problem.message}</Notice>
        <Button variant="default" onClick={() => void look.run()}>
          Try again
        </Button>
      </Stack>
    );
  }
  if (owner === null) return <Waiting what="Opening the link" />;
  return (
    <Stack gap="lg">
      <Text className={classes.breakable}>
        You are signed in as <b>{signedInAs}</b>. This link belongs to <b>{owner}</b>: opening it signs you out of this
        browser, and in as them.
      </Text>
      <Stack gap="sm">
        <Button variant="default" loading={signIn.pending} onClick={() => void signIn.run()}>
          Open the link
        </Button>
        <Button autoFocus onClick={() => navigate(paths.publicApi, {}, "replace")}>
          Stay signed in
        </Button>
      </Stack>
    </Stack>
  );
}
