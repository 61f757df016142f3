import { Button, Container, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useAction } from "../account/use_action.ts";
import type { ApiKey } from "../database.ts";
import { BaseAddress } from "../keys/base_address.tsx";
import { CreateKeyForm } from "../keys/create_key_form.tsx";
import { Entries, History } from "../keys/history.tsx";
import { KeyList, NoKeys } from "../keys/key_list.tsx";
import type { KeyAction } from "../keys/key_table.tsx";
import classes from "../keys/keys.module.css";
import { MakeKeyDialog } from "../keys/make_key_dialog.tsx";
import { QuickCheck } from "../keys/quick_check.tsx";
import { RenameKeyDialog } from "../keys/rename_key_dialog.tsx";
import { ReplaceKeyForm } from "../keys/replace_key_form.tsx";
import { RevokeKeyDialog } from "../keys/revoke_key_dialog.tsx";
import { type Shown, usePublicApi } from "../keys/use_public_api.ts";
import { SideDialog } from "../parts/dialog.tsx";
import { Heading } from "../parts/heading.tsx";
import { Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { Header } from "./header.tsx";
import { NoAccess } from "./no_access.tsx";
import pages from "./pages.module.css";

/** Integrations → Public API: the keys of the signed-in admin's company. */
export function PublicApiPage({ email }: { email: string }) {
  const { shown, problem, refresh } = usePublicApi();
  const again = useAction(refresh);
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const isAdmin = shown?.member.role === "admin";
  return (
    <>
      <Header member={shown?.member ?? null} crumbs={[{ words: "Integrations" }, { words: "Public API" }]} />
      <main>
        <div className={pages.title}>
          <Container size={1280} className={pages.bar}>
            <Stack gap={4} className={classes.grow}>
              <Heading>Public API</Heading>
              <Text c="dimmed">
                Lets a BI tool, a spreadsheet or a system of your own work with your company's data.
              </Text>
            </Stack>
            <Group gap="sm">
              <Button component="a" href="/reference/" variant="default">
                API reference
              </Button>
              {isAdmin && <Button onClick={() => setDialog({ action: "create", key: null })}>Create key</Button>}
            </Group>
          </Container>
        </div>
        <Container size={1280} className={pages.main}>
          <Stack gap="xl">
            <Notice kind="problem">
              {(problem || again.pending) && (
                <Stack gap="sm" align="flex-start">
                  <span>
                    {problem?.message} {shown && "What you see below may be out of date."}
                  </span>
                  <Button variant="default" loading={again.pending} onClick={() => void again.run()}>
                    Try again
                  </Button>
                </Stack>
              )}
            </Notice>
            {!shown && !problem && <Waiting what="Loading your company's keys" />}
            {shown && !isAdmin && <NoAccess member={shown.member} email={email} onTryAgain={refresh} />}
            {shown && isAdmin && (
              <Keys
                shown={shown}
                admin={shown.member.name ?? ""}
                dialog={dialog}
                onDialog={setDialog}
                refresh={refresh}
              />
            )}
          </Stack>
        </Container>
      </main>
    </>
  );
}

/** What an admin is about to do, and with which key. */
type OpenDialog = { action: KeyAction | "create"; key: ApiKey | null };

/** What was done: the key's row takes the focus. `words` is null when the person has seen it elsewhere already. */
type Outcome = { keyId: string; words: ReactNode };

function Keys(props: {
  shown: Shown;
  admin: string;
  dialog: OpenDialog | null;
  onDialog: (dialog: OpenDialog | null) => void;
  refresh: () => Promise<void>;
}) {
  const { dialog, refresh } = props;
  const { keys } = props.shown;
  const [outcome, setOutcome] = useState<Outcome | null>(null);

  function ask(action: KeyAction, key: ApiKey): void {
    setOutcome(null);
    props.onDialog({ action, key });
  }

  function conclude(concluded: Outcome | null): void {
    props.onDialog(null);
    setOutcome(concluded);
  }

  async function announce(keyId: string, words: ReactNode): Promise<void> {
    await refresh();
    conclude({ keyId, words });
  }

  const keyOf = (action: KeyAction): ApiKey | null => (dialog?.action === action ? dialog.key : null);
  const replaced = keyOf("replace");
  const names = keys.filter(({ status }) => status === "active").map(({ name }) => name);
  const revision = JSON.stringify(keys.map(({ id, name, status, replaced_by }) => [id, name, status, replaced_by]));
  return (
    <>
      <Stack component="section" aria-labelledby="keys" gap="md">
        <Title order={2} id="keys">
          Keys
        </Title>
        {keys.length === 0 ? (
          <NoKeys />
        ) : (
          <KeyList keys={keys} news={outcome?.keyId ?? null} onArranged={() => setOutcome(null)} onAction={ask} />
        )}
      </Stack>
      <div className={classes.outcome}>
        <Notice kind="done" onClose={() => setOutcome(null)}>
          {outcome?.words}
        </Notice>
      </div>
      <div className={classes.pair}>
        <BaseAddress />
        <QuickCheck keys={keys} onChecked={refresh} />
      </div>
      <History revision={revision} />
      <MakeKeyDialog
        opened={dialog?.action === "create" || replaced !== null}
        title={replaced ? "Replace key" : "Create key"}
        form={(making) =>
          replaced ? <ReplaceKeyForm {...making} apiKey={replaced} /> : <CreateKeyForm {...making} names={names} />
        }
        onClose={(keyId) => conclude(keyId === null ? null : { keyId, words: null })}
      />
      <RenameKeyDialog
        apiKey={keyOf("rename")}
        names={names}
        onClose={() => conclude(null)}
        onRenamed={announce}
        onGone={refresh}
      />
      <RevokeKeyDialog
        apiKey={keyOf("revoke")}
        admin={props.admin}
        onClose={() => conclude(null)}
        onRevoked={announce}
        onGone={refresh}
      />
      <HistoryDialog apiKey={keyOf("history")} revision={revision} onClose={() => conclude(null)} />
    </>
  );
}

function HistoryDialog(props: { apiKey: ApiKey | null; revision: string; onClose: () => void }) {
  const { apiKey } = props;
  const title = apiKey && (
    <>
      History of <Name>{apiKey.name}</Name>
    </>
  );
  return (
    <SideDialog opened={apiKey !== null} title={title} onClose={props.onClose}>
      {apiKey && <Entries keyId={apiKey.id} revision={props.revision} />}
    </SideDialog>
  );
}
