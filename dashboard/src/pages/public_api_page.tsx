import { Button, Container, Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { ApiKey } from "../database.ts";
import { BaseAddress } from "../keys/base_address.tsx";
import { CreateKeyForm } from "../keys/create_key_form.tsx";
import { History } from "../keys/history.tsx";
import { KeyList, NoKeys } from "../keys/key_list.tsx";
import type { Deed, Outcome } from "../keys/key_row.tsx";
import { MakeKeyDialog } from "../keys/make_key_dialog.tsx";
import { QuickCheck } from "../keys/quick_check.tsx";
import { RenameKeyDialog } from "../keys/rename_key_dialog.tsx";
import { ReplaceKeyForm } from "../keys/replace_key_form.tsx";
import { RevokeKeyDialog } from "../keys/revoke_key_dialog.tsx";
import { type Shown, usePublicApi } from "../keys/use_public_api.ts";
import { Heading } from "../parts/heading.tsx";
import { Notice } from "../parts/notice.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { Header } from "./header.tsx";
import { NoAccess } from "./no_access.tsx";
import classes from "./pages.module.css";

/** Integrations → Public API: the keys of the signed-in admin's company. */
export function PublicApiPage({ email }: { email: string }) {
  const { shown, problem, refresh } = usePublicApi();
  return (
    <>
      <Header member={shown?.member ?? null} email={email} />
      <Container component="main" size={1280} className={classes.main}>
        <Stack gap="xl">
          <Stack gap={4}>
            <Heading>Public API</Heading>
            <Text c="dimmed">Lets a BI tool, a spreadsheet or a system of your own work with your company's data.</Text>
          </Stack>
          {problem && (
            <Notice kind="problem">
              <Stack gap="sm" align="flex-start">
                <span>
                  {problem.message} {shown && "What you see below may be out of date."}
                </span>
                <Button variant="default" onClick={() => void refresh()}>
                  Try again
                </Button>
              </Stack>
            </Notice>
          )}
          {!shown && !problem && <Waiting what="Loading your company's keys" />}
          {shown && shown.member.role !== "admin" && (
            <NoAccess member={shown.member} email={email} onTryAgain={refresh} />
          )}
          {shown?.member.role === "admin" && <Keys shown={shown} admin={shown.member.name} refresh={refresh} />}
        </Stack>
      </Container>
    </>
  );
}

function Keys({ shown, admin, refresh }: { shown: Shown; admin: string; refresh: () => Promise<void> }) {
  const [asked, setAsked] = useState<{ deed: Exclude<Deed, "history"> | "create"; key: ApiKey | null } | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [historyOf, setHistoryOf] = useState<{ keyId: string } | null>(null);

  function ask(deed: Deed | "create", key: ApiKey | null = null): void {
    setOutcome(null);
    if (deed === "history") setHistoryOf(key && { keyId: key.id });
    else setAsked({ deed, key });
  }

  function conclude(concluded: Outcome | null): void {
    setAsked(null);
    setOutcome(concluded);
  }

  async function tell(keyId: string, words: string): Promise<void> {
    await refresh();
    conclude({ keyId, words });
  }

  const replaced = asked?.deed === "replace" ? asked.key : null;
  return (
    <>
      <BaseAddress />
      <Stack component="section" aria-labelledby="keys" gap="md">
        <Group justify="space-between">
          <Title order={2} size="h4" id="keys">
            Keys
          </Title>
          {shown.keys.length > 0 && <Button onClick={() => ask("create")}>Create key</Button>}
        </Group>
        {shown.keys.length === 0 ? (
          <NoKeys onCreate={() => ask("create")} />
        ) : (
          <KeyList keys={shown.keys} outcome={outcome} onDeed={ask} />
        )}
      </Stack>
      <QuickCheck keys={shown.keys} onChecked={refresh} />
      <History events={shown.events} keys={shown.keys} of={historyOf} onAll={() => setHistoryOf(null)} />
      <MakeKeyDialog
        opened={asked?.deed === "create" || asked?.deed === "replace"}
        title={replaced ? "Replace key" : "Create key"}
        form={(told) =>
          replaced ? (
            <ReplaceKeyForm {...told} apiKey={replaced} onChanged={refresh} />
          ) : (
            <CreateKeyForm {...told} onChanged={refresh} />
          )
        }
        onClose={(keyId) => conclude(keyId === null ? null : { keyId, words: null })}
        onChanged={refresh}
      />
      <RenameKeyDialog
        apiKey={asked?.deed === "rename" ? asked.key : null}
        onClose={() => conclude(null)}
        onRenamed={tell}
        onGone={refresh}
      />
      <RevokeKeyDialog
        apiKey={asked?.deed === "revoke" ? asked.key : null}
        admin={admin}
        onClose={() => conclude(null)}
        onRevoked={tell}
        onGone={refresh}
      />
    </>
  );
}
