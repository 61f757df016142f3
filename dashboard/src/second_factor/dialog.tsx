import { Code, Image, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { useAction } from "../account/use_action.ts";
import { Decision } from "../parts/actions.tsx";
import { CopyButton } from "../parts/copy_button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Failed } from "../parts/failed.tsx";
import { Form } from "../parts/form.tsx";
import { Notice } from "../parts/notice.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { CodeForm } from "./code_form.tsx";
import { currentFactor, type NewFactor, newFactor, removeFactor, verifyCode } from "./factor.ts";
import classes from "./second_factor.module.css";

/** Sets up the second factor of the signed-in admin, or removes it. */
export default function SecondFactorDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={opened} title="Second factor" onClose={onClose}>
      <SecondFactor onClose={onClose} />
    </Dialog>
  );
}

function SecondFactor({ onClose }: { onClose: () => void }) {
  /** The factor that works; null: there is none; undefined: that is not known yet. */
  const [factor, setFactor] = useState<string | null>();
  const [done, setDone] = useState<string | null>(null);
  const look = useAction(async () => setFactor(await currentFactor()));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once, when the dialog opens
  useEffect(() => void look.run(), []);

  function conclude(now: string | null, words: string): void {
    setFactor(now);
    setDone(words);
  }
  return (
    <Stack gap="md">
      <Notice kind="done">{done}</Notice>
      <Failed onTryAgain={() => void look.run()}>{look.problem?.message}</Failed>
      {factor === undefined && !look.problem && <Waiting what="Loading your second factor" />}
      {factor === null && (
        <SetUp onDone={(id) => conclude(id, "Done. From now on, each sign-in asks for a code.")} onClose={onClose} />
      )}
      {factor && (
        <Remove
          id={factor}
          onDone={() => conclude(null, "Removed. Your password is enough again.")}
          onClose={onClose}
        />
      )}
    </Stack>
  );
}

function SetUp({ onDone, onClose }: { onDone: (id: string) => void; onClose: () => void }) {
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
        <Decision words="Set up" pending={begin.pending} onCancel={onClose} />
      </Form>
    );
  return (
    <>
      <Text>
        Scan this with an authenticator app, or enter the secret there. Then enter the code that the app shows.
      </Text>
      <Image src={begun.qr} alt="QR code of the secret" className={classes.qr} />
      <Stack gap="xs" align="flex-start">
        <Code block className={classes.secret}>
          {begun.secret}
        </Code>
        <CopyButton value={begun.secret} label="Copy the secret" />
      </Stack>
      <CodeForm
        words="Turn on"
        onCode={async (code) => {
          await verifyCode(begun.id, code);
          onDone(begun.id);
        }}
        onCancel={onClose}
      />
    </>
  );
}

function Remove({ id, onDone, onClose }: { id: string; onDone: () => void; onClose: () => void }) {
  const remove = useAction(async () => {
    await removeFactor(id);
    onDone();
  });
  return (
    <Form onSubmit={() => void remove.run()}>
      <Text>
        Your account has a second factor: the authenticator app on your phone. If you remove it, your password is enough
        to manage your company's keys.
      </Text>
      <Notice kind="problem">{remove.problem?.message}</Notice>
      <Decision words="Remove" pending={remove.pending} isFinal cancel="Close" onCancel={onClose} />
    </Form>
  );
}
