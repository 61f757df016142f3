import { Button, Container, Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { ApiKey } from "../database.ts";
import { BaseAddress } from "../keys/base_address.tsx";
import { CreateKeyDialog } from "../keys/create_key_dialog.tsx";
import { History } from "../keys/history.tsx";
import { KeyList } from "../keys/key_list.tsx";
import { QuickCheck } from "../keys/quick_check.tsx";
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
      <Container component="main" size={1120} className={classes.main}>
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
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const [done, setDone] = useState<string | null>(null);

  return (
    <>
      <BaseAddress />
      <Stack component="section" aria-labelledby="keys" gap="md">
        <Group justify="space-between">
          <Title order={2} size="h4" id="keys">
            Keys
          </Title>
          <Button
            onClick={() => {
              setDone(null);
              setCreating(true);
            }}
          >
            Create key
          </Button>
        </Group>
        {done !== null && <Notice kind="done">{done}</Notice>}
        <KeyList
          keys={shown.keys}
          onRevoke={(key) => {
            setDone(null);
            setRevoking(key);
          }}
        />
      </Stack>
      <QuickCheck onChecked={refresh} />
      <History events={shown.events} />
      <CreateKeyDialog opened={creating} onClose={() => setCreating(false)} onChanged={refresh} />
      <RevokeKeyDialog
        apiKey={revoking}
        admin={admin}
        onClose={() => setRevoking(null)}
        onRevoked={async (message) => {
          await refresh();
          setDone(message);
          setRevoking(null);
        }}
      />
    </>
  );
}
