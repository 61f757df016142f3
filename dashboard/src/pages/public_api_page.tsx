import { Box, Button, Container, Group, Paper, Stack, Tabs, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useAction } from "../account/use_action.ts";
import type { ApiKey } from "../database.ts";
import { concernsOf, type KeyAction, type Tab, tabs } from "../keys/arrangement.ts";
import { Assistants } from "../keys/assistants.tsx";
import { BaseAddress } from "../keys/base_address.tsx";
import { RenameKeyDialog, RevokeKeyDialog } from "../keys/change_key_dialogs.tsx";
import { CreateKeyForm, type Start } from "../keys/create_key_form.tsx";
import { sameLifetime } from "../keys/expiry.ts";
import { History } from "../keys/history.tsx";
import { KeyDrawer } from "../keys/key_drawer.tsx";
import { KeyList } from "../keys/key_list.tsx";
import { Keys } from "../keys/keys_of_page.ts";
import { MakeKeyDialog } from "../keys/make_key_dialog.tsx";
import { NoKeys } from "../keys/no_keys.tsx";
import type { Preset } from "../keys/presets.ts";
import { QuickCheck } from "../keys/quick_check.tsx";
import { ReplaceKeyForm } from "../keys/replace_key_form.tsx";
import { useArrangement } from "../keys/use_arrangement.ts";
import { type Shown, usePublicApi } from "../keys/use_public_api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Failed } from "../parts/failed.tsx";
import { Heading } from "../parts/heading.tsx";
import { Notice } from "../parts/notice.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { paths } from "../paths.ts";
import { HeaderBar } from "./header_bar.tsx";
import { NoAccess } from "./no_access.tsx";
import pages from "./pages.module.css";
import { Person } from "./person.tsx";

/** What an admin is about to do, and with which key. */
type OpenDialog =
  | { action: "replace" | "rename" | "revoke"; key: ApiKey }
  | { action: "create"; start: Start }
  | { action: "check" };

const creating: OpenDialog = { action: "create", start: {} };
const forAssistant: OpenDialog = { action: "create", start: { purpose: "assistant" } };

/** What was entered for a new key, and by whom, should the session end or ask for a code: never in the browser's storage. */
let draft: { email: string; start: Start } | null = null;

/** What was entered before opens the dialog for a new key; a link does, with a purpose (`?create=power-bi`), or Quick check (`?check`). */
function firstDialog(email: string): OpenDialog | null {
  if (draft?.email === email) return { action: "create", start: draft.start };
  const query = new URLSearchParams(window.location.search);
  const purpose = query.get("create");
  if (purpose !== null) return { action: "create", start: { purpose } };
  return query.has("check") ? { action: "check" } : null;
}

/** Integrations → Public API: the keys of the signed-in admin's company. */
export default function PublicApiPage({ email }: { email: string }) {
  const { shown, problem, refresh } = usePublicApi();
  const again = useAction(refresh);
  const [dialog, setDialog] = useState(() => firstDialog(email));
  const isAdmin = shown?.member.role === "admin";
  // Keeps its room until it is known who is here, and for who is no admin: nothing moves. What is left has the edge.
  const forAdmins = { visibility: isAdmin ? "visible" : "hidden", order: shown && !isAdmin ? -1 : 0 } as const;
  return (
    <>
      <HeaderBar crumbs={[{ words: "Integrations" }, { words: "Public API" }]}>
        <Person member={shown?.member ?? null} />
      </HeaderBar>
      <main>
        {/* The title and the page's actions continue the header. */}
        <Box mt={-1} pt="0.75rem" pb="1.25rem" bg="var(--panel)" style={{ borderBottom: "1px solid var(--line)" }}>
          <Group maw={1280} mx="auto" px="md" gap="0.5rem 1rem" justify="space-between">
            <Stack gap={4} flex="1 1 16rem" miw={0}>
              <Heading>Public API</Heading>
              <Text c="dimmed" className={pages.about}>
                Lets a BI tool, a spreadsheet or a system of your own work with your company's data.
              </Text>
              <BaseAddress />
            </Stack>
            <Group gap="sm" className={pages.buttons}>
              <Button component="a" href="/reference/">
                API reference
              </Button>
              <Button style={forAdmins} onClick={() => setDialog({ action: "check" })}>
                Quick check
              </Button>
              <Button style={forAdmins} variant="filled" onClick={() => setDialog(creating)}>
                Create key
              </Button>
            </Group>
          </Group>
        </Box>
        <Container size={1280} pt="2rem" pb="5rem">
          <Stack gap="xl">
            <Failed pending={again.pending} onTryAgain={() => void again.run()}>
              {(problem || again.pending) && (
                <>
                  {problem?.message} {shown && "What you see below may be out of date."}
                </>
              )}
            </Failed>
            {!shown && !problem && <Waiting what="Loading your company's keys" />}
            {shown && !isAdmin && (
              <Paper withBorder p="clamp(1.25rem, 4vw, 2rem)">
                <NoAccess member={shown.member} email={email} onTryAgain={refresh} />
              </Paper>
            )}
            {shown && isAdmin && (
              <>
                <Parts {...{ shown, email, dialog, refresh }} onDialog={setDialog} />
                <Text>
                  {shown.hasFactor ? "Your " : "Protect these keys with a "}
                  <a href={paths.secondFactor}>second factor</a>
                  {shown.hasFactor ? " protects these keys: each" : ": then each"} of your sign-ins asks for a code,
                  too.
                </Text>
              </>
            )}
          </Stack>
        </Container>
      </main>
    </>
  );
}

/** A form for the same key again. One that was replaced ends with the overlap: what took its place has name and lifetime. */
function likeOf({ name, scopes, replaced_by, ...key }: ApiKey, keys: ApiKey[]): Preset {
  const next = keys.find(({ id }) => id === replaced_by);
  return { ...(next ? likeOf(next, keys) : { name, lifetime: sameLifetime(key) }), scopes };
}

/** What was done: the key's row takes the focus. `words` is null when the person has seen it elsewhere already. */
type Outcome = { keyId: string; words: ReactNode };

type PartsProps = { shown: Shown; email: string; dialog: OpenDialog | null; refresh: () => Promise<void> };

function Parts(props: PartsProps & { onDialog: (dialog: OpenDialog | null) => void }) {
  const { keys } = props.shown;
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [asked, setAsked] = useState<KeyAction>("details");
  const { arrangement, arrange, closeKey } = useArrangement();

  function ask(action: KeyAction, key: ApiKey): void {
    setOutcome(null);
    setAsked(action);
    if (action === "details") {
      props.onDialog(null);
      arrange({ key: key.id });
    } else if (action === "connect") connect();
    else if (action === "again") props.onDialog({ action: "create", start: { again: likeOf(key, keys) } });
    else props.onDialog({ action: action === "rescope" ? "replace" : action, key });
  }

  /** Leads to where assistants get the address that they sign in at. */
  function connect(): void {
    conclude(null);
    arrange({ tab: "assistants", key: null });
  }

  /** Without an outcome, a dialog that came from the drawer leads back to it. */
  function conclude(concluded: Outcome | null): void {
    draft = null;
    props.onDialog(null);
    setOutcome(concluded);
    if (concluded) arrange({ key: null }, "replace");
  }

  const revision = JSON.stringify(keys.map(({ id, name, status, replaced_by }) => [id, name, status, replaced_by]));
  return (
    <Keys value={{ keys, concerns: concernsOf(keys), revision, asked, onAction: ask }}>
      <Tabs
        value={arrangement.tab}
        onChange={(tab) => tab !== null && arrange({ tab: tab as Tab })}
        keepMounted={false}
      >
        <Tabs.List mb="lg" aria-label="Parts of the page">
          {Object.entries(tabs).map(([tab, words]) => (
            <Tabs.Tab key={tab} value={tab} fz="md" fw={600}>
              {words}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="keys">
          {keys.length === 0 ? (
            <NoKeys onCreate={() => props.onDialog(creating)} />
          ) : (
            <KeyList
              news={outcome?.keyId ?? null}
              arrangement={arrangement}
              onArrange={(change, how) => {
                // When the person chooses what is listed, nothing is news any more.
                if (how !== "replace") setOutcome(null);
                arrange(change, how);
              }}
            />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="assistants">
          <Assistants onCreate={() => props.onDialog(forAssistant)} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <History />
        </Tabs.Panel>
      </Tabs>
      {/* What was just done stays in sight, wherever the list is scrolled to. */}
      <Box pos="fixed" inset="auto 1rem 1rem" w="fit-content" maw="40rem" mx="auto" style={{ zIndex: 10 }}>
        <Notice kind="done" onClose={() => setOutcome(null)}>
          {outcome?.words}
        </Notice>
      </Box>
      <KeyDrawer keyId={props.dialog ? null : arrangement.key} onClose={closeKey} />
      <KeyDialogs {...props} onConcluded={conclude} onConnect={connect} />
    </Keys>
  );
}

/**
 * The dialogs about keys, of which one is open at most.
 * @param onConcluded is called when a dialog has closed, with what was done, or null
 */
function KeyDialogs(props: PartsProps & { onConnect: () => void; onConcluded: (outcome: Outcome | null) => void }) {
  const { shown, email, dialog, refresh, onConcluded } = props;
  const { keys, member } = shown;
  const keyOf = (action: KeyAction): ApiKey | null =>
    dialog?.action === action && "key" in dialog ? dialog.key : null;
  const replaced = keyOf("replace");
  const names = keys.filter(({ status }) => status === "active").map(({ name }) => name);
  const close = (): void => onConcluded(null);
  const done = async (keyId: string, words: ReactNode): Promise<void> => {
    await refresh();
    onConcluded({ keyId, words });
  };
  const changing = { onClose: close, onDone: done, onGone: refresh };
  return (
    <>
      <MakeKeyDialog
        opened={dialog?.action === "create" || replaced !== null}
        title={replaced ? "Replace key" : "Create key"}
        form={(making) =>
          replaced ? (
            <ReplaceKeyForm {...making} apiKey={replaced} />
          ) : (
            <CreateKeyForm
              {...making}
              names={names}
              start={draft?.email === email ? draft.start : dialog?.action === "create" ? dialog.start : {}}
              onDraft={(start) => {
                draft = { email, start };
              }}
              onConnect={props.onConnect}
            />
          )
        }
        onClose={(keyId) => onConcluded(keyId === null ? null : { keyId, words: null })}
      />
      <RenameKeyDialog apiKey={keyOf("rename")} names={names} {...changing} />
      <RevokeKeyDialog apiKey={keyOf("revoke")} admin={member.name} {...changing} />
      <Dialog opened={dialog?.action === "check"} title="Quick check" onClose={close}>
        <QuickCheck onChecked={refresh} />
      </Dialog>
    </>
  );
}
