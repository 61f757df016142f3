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

/**
 * Signs in by a link, after the person has confirmed whose account it opens: anybody can make a link to an account of
 * their own, and a person who does not notice it would work in the wrong company.
 */
export function OpenLink(props: {
  link: EmailLink;
  signedInAs: string | null;
  onOpened: () => void;
  onDead: () => void;
}) {
  const { link, onOpened, onDead } = props;
  // As it was when the page opened: signing in by the link changes it.
  const [signedInAs] = useState(props.signedInAs);
  const [owner, setOwner] = useState<string | null>(null);

  const signIn = useAction(async () => {
    await signInByLink(link);
    onOpened();
  });
  const look = useAction(async () => {
    try {
      setOwner(await whoseLink(link));
    } catch (error) {
      if (error instanceof Problem && error.kind === "refused") onDead();
      else throw error;
    }
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once, when the page opens
  useEffect(() => void look.run(), []);

  if (look.problem) {
    return (
      <Stack gap="md" align="flex-start">
        <Notice kind="problem">{look.problem.message}</Notice>
        <Button variant="default" loading={look.pending} onClick={() => void look.run()}>
          Try again
        </Button>
      </Stack>
    );
  }
  if (owner === null) return <Waiting what="Opening the link" />;
  const replaces = signedInAs !== null && signedInAs !== owner;
  return (
    <Stack gap="lg">
      <Text className={classes.breakable}>
        This link signs you in as <b translate="no">{owner}</b>
        {replaces && (
          <>
            {" "}
            and signs <b translate="no">{signedInAs}</b> out
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
