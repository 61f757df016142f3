import { Anchor, Group, Loader, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import type { ApiKey } from "../database.ts";
import { ScopeName } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { When } from "../parts/when.tsx";
import { BaseAddress } from "./base_address.tsx";
import { listApiKeys } from "./calls.ts";
import { clientName } from "./client_name.ts";
import { ways } from "./ways.tsx";

/** The way from the new key to the first answer, by the purpose of the key, and whether one has come. */
export function FirstRequest(props: { keyId: string; purpose: string; isWatching: boolean }) {
  const { keyId, isWatching } = props;
  const [chosen, setChosen] = useState(Object.hasOwn(ways, props.purpose) ? props.purpose : "curl");
  const way = ways[chosen];
  const { used, lacks } = useFirstUse(keyId, isWatching);
  return (
    <Stack gap="md">
      <Title order={3}>The first request</Title>
      {/* Above the steps, which may be longer than the dialog: it is seen when it comes. */}
      <Notice kind="done">
        {used !== null && (
          <>
            Works: <When at={used.at} as="clock" />
            {used.endpoint !== null && (
              <>
                , <bdi translate="no">{used.endpoint}</bdi>
              </>
            )}
            {used.client !== null && (
              <>
                , from <bdi translate="no">{clientName(used.client)}</bdi>
              </>
            )}
          </>
        )}
      </Notice>
      <Notice kind="warning">
        {used === null && lacks !== null && (
          <>
            A request came and was refused: it needs <ScopeName>{lacks}</ScopeName>. A key's scopes never change: create
            another key that has it.
          </>
        )}
      </Notice>
      {used === null && isWatching && (
        <Group gap="xs">
          <Loader size={14} aria-hidden />
          <Text size="sm" c="dimmed">
            Waiting for the first request …
          </Text>
        </Group>
      )}
      <BaseAddress />
      <NativeSelect
        label="Steps for"
        data={Object.entries(ways).map(([value, { words }]) => ({ value, label: words }))}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      {way && (
        <div key={chosen}>
          {way.steps}
          <Anchor href={`/reference/guides/${way.guide}/`} target="_blank" size="sm">
            The guide for {way.words}
          </Anchor>
        </div>
      )}
    </Stack>
  );
}

type Use = { at: string; endpoint: string | null; client: string | null };

/** The first use of a key, and the scope that its last request lacked. Null: not yet. */
type Seen = { used: Use | null; lacks: string | null };

const nothing: Seen = { used: null, lacks: null };

/** What the list knows of this key. */
function seenOf(keys: ApiKey[], keyId: string): Seen {
  const key = keys.find(({ id }) => id === keyId);
  if (!key) return nothing;
  const { last_used_at, last_endpoint, last_client, forbidden_scope } = key;
  const used = last_used_at === null ? null : { at: last_used_at, endpoint: last_endpoint, client: last_client };
  return { used, lacks: forbidden_scope ?? null };
}

/** Looks every few seconds whether the key has been used, as long as the person sees the page. */
function useFirstUse(keyId: string, isWatching: boolean): Seen {
  const [seen, setSeen] = useState(nothing);
  const isOver = seen.used !== null || !isWatching;
  useEffect(() => {
    if (isOver) return;
    const look = async (): Promise<void> => {
      if (document.hidden) return;
      // Without an answer it looks again the next time.
      const keys = await listApiKeys().catch(() => null);
      if (keys) setSeen((before) => (before.used ? before : seenOf(keys, keyId)));
    };
    const timer = setInterval(() => void look(), 4000);
    return () => clearInterval(timer);
  }, [keyId, isOver]);
  return seen;
}
