import { Button, Code, Paper, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useAction, useLoading } from "../account/use_action.ts";
import { AccountPage } from "../pages/account_page.tsx";
import { Failed } from "../parts/failed.tsx";
import { Form, Submit } from "../parts/form.tsx";
import { Link } from "../parts/link.tsx";
import { Notice } from "../parts/notice.tsx";
import { paths } from "../paths.ts";
import { CodeForm, WantedForm } from "./code_form.tsx";
import { currentFactor, type NewFactor, newFactor, removeFactor, verifyCode } from "./factor.ts";

/** Sets up the second factor of the signed-in person, or removes it. */
export default function SecondFactorPage() {
  /** The factor that works; null: there is none; undefined: that is not known yet. */
  const [factor, setFactor] = useState<string | null>();
  const [done, setDone] = useState<string | null>(null);
  const look = useLoading(async () => setFactor(await currentFactor()));

  function conclude(now: string | null, words: string): void {
    setFactor(now);
    setDone(words);
  }
  return (
    <AccountPage title="Second factor">
      <Notice kind="done">{done}</Notice>
      <Failed onTryAgain={look.again}>{look.problem?.message}</Failed>
      {factor === null && <SetUp onDone={(id) => conclude(id, "From now on, each sign-in asks for a code.")} />}
      {factor && <Remove id={factor} onDone={() => conclude(null, "Your password is enough again.")} />}
      <Link to={paths.publicApi}>Back to the keys</Link>
    </AccountPage>
  );
}

function SetUp({ onDone }: { onDone: (id: string) => void }) {
  const [begun, setBegun] = useState<NewFactor | null>(null);
  const begin = useAction(async () => setBegun(await newFactor()));
  if (begun === null)
    return (
      <Form onSubmit={() => void begin.run()}>
        <Text>
          With a second factor, nobody manages your company's keys with your password alone: each sign-in also asks for
          a code from an authenticator app on your phone.
        </Text>
        <Notice kind="problem">{begin.problem?.message}</Notice>
        <Submit pending={begin.pending}>Set up</Submit>
      </Form>
    );
  return (
    <Stack gap="md">
      <Text>
        Scan this with an authenticator app, or enter the secret there. Then enter the code that the app shows.
      </Text>
      {/* Apps read black on white only, also where the page is dark. */}
      <Paper component="img" src={begun.qr} alt="QR code of the secret" w="13rem" p="0.75rem" bg="#fff" />
      <Code block style={{ whiteSpace: "normal", userSelect: "all" }}>
        {begun.secret}
      </Code>
      <CodeForm
        words="Turn on"
        onCode={async (code) => {
          await verifyCode(begun.id, code);
          onDone(begun.id);
        }}
      />
    </Stack>
  );
}

function Remove({ id, onDone }: { id: string; onDone: () => void }) {
  const { run, pending, problem } = useAction(async () => {
    await removeFactor(id);
    onDone();
  });
  if (problem?.kind === "second_factor") return <WantedForm onShown={run} />;
  return (
    <Form onSubmit={() => void run()}>
      <Text>
        Your account has a second factor: the authenticator app on your phone. If you remove it, your password is enough
        to manage your company's keys.
      </Text>
      <Notice kind="problem">{problem?.message}</Notice>
      <Button type="submit" loading={pending}>
        Remove
      </Button>
    </Form>
  );
}
