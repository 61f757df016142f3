import { Anchor, Group, Loader, NativeSelect, Stack, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import type { ApiKey } from "../database.ts";
import { After, Aside, ScopeName } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { When } from "../parts/when.tsx";
import { BaseAddress } from "./base_address.tsx";
import { listApiKeys } from "./calls.ts";
import { clientName } from "./client_name.ts";
import type { MadeKey } from "./new_key.tsx";
import { Handover, Steps, ways } from "./ways.tsx";

/** The way from the new key to the first answer, by the purpose of the key, and whether one has come: then `onSeen` is called. */
export function FirstRequest(props: { made: MadeKey; isWatching: boolean; onSeen: () => void }) {
  const { made, isWatching, onSeen } = props;
  const [chosen, setChosen] = useState(made.purpose && Object.hasOwn(ways, made.purpose) ? made.purpose : "curl");
  const way = ways[chosen];
  const seen = useFirstUse(made.id, isWatching);
  const { last_used_at: usedAt = null, forbidden_scope: lacks = null } = seen ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (usedAt !== null) onSeen();
  }, [usedAt]);
  return (
    <Stack gap="md">
      <Title order={3}>The first request</Title>
      {/* Above the steps, which may be longer than the dialog: it is seen when it comes. */}
      <Notice kind="done">
        {seen && usedAt && (
          <>
            Works: <When at={usedAt} as="clock" />
            <After words=", ">{seen.last_endpoint}</After>
            <After words=", from ">{seen.last_client && clientName(seen.last_client)}</After>
          </>
        )}
      </Notice>
      <Notice kind="warning">
        {!usedAt && lacks !== null && (
          <>
            A request came and was refused: it needs <ScopeName>{lacks}</ScopeName>. Choose Done, then “Replace with
            other scopes” in the key's row.
          </>
        )}
      </Notice>
      {!usedAt && lacks === null && isWatching && (
        <Group gap="xs">
          <Loader size={14} aria-hidden />
          <Aside>Waiting for the first request …</Aside>
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
          <Steps of={way} />
          <Anchor href={`/reference/guides/${way.guide}/`} target="_blank" size="sm">
            The guide for {way.words}
          </Anchor>
        </div>
      )}
      <Handover apiKey={made} way={chosen} />
    </Stack>
  );
}

/** Looks at the key every few seconds, until it has been used, as long as the person sees the page. */
function useFirstUse(keyId: string, isWatching: boolean): ApiKey | undefined {
  const [seen, setSeen] = useState<ApiKey | undefined>();
  const isOver = Boolean(seen?.last_used_at) || !isWatching;
  useEffect(() => {
    if (isOver) return;
    const look = async (): Promise<void> => {
      if (document.hidden) return;
      // Without an answer it looks again the next time.
      const keys = await listApiKeys(keyId).catch(() => null);
      if (keys) setSeen((before) => (before?.last_used_at ? before : keys[0]));
    };
    const timer = setInterval(() => void look(), 4000);
    return () => clearInterval(timer);
  }, [keyId, isOver]);
  return seen;
}
