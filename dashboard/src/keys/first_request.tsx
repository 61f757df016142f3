import { Anchor, Code, Group, Loader, Stack, Tabs, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import type { ApiKey } from "../database.ts";
import { CopyButton } from "../parts/copy_button.tsx";
import { Notice } from "../parts/notice.tsx";
import { When } from "../parts/when.tsx";
import { baseAddress } from "../settings.ts";
import { BaseAddress } from "./base_address.tsx";
import { listApiKeys } from "./calls.ts";
import { clientName } from "./client_name.ts";
import classes from "./keys.module.css";

/**
 * A command for bash and zsh that asks for the key. So the key is neither in the shell's history nor in the list of
 * processes, where it would be as a part of the command.
 */
const curlLine = `printf 'API key: ' && read -rs KEY && printf 'X-API-Key: %s' "$KEY" | curl -H @- ${baseAddress}`;

/** The environment of a script: the key is asked for, so it is in no file and in no shell history. */
const environment = `export PUBLIC_API_URL=${baseAddress}
printf 'API key: ' && read -rs PUBLIC_API_KEY && export PUBLIC_API_KEY`;

const python = `${environment}
python3 -c 'import os, urllib.request as u; print(u.urlopen(u.Request(os.environ["PUBLIC_API_URL"], headers={"X-API-Key": os.environ["PUBLIC_API_KEY"]})).read().decode())'`;

const node = `${environment}
node -e 'fetch(process.env.PUBLIC_API_URL, { headers: { "X-API-Key": process.env.PUBLIC_API_KEY } }).then((r) => r.text()).then(console.log)'`;

type Way = { words: string; guide: string; steps: ReactNode };

const ways: Record<string, Way> = {
  "power-bi": {
    words: "Power BI, Excel",
    guide: "excel-and-power-bi",
    steps: (
      <ol className={classes.steps}>
        <li>Get Data → Blank Query → Advanced Editor: paste the query of the guide, with the base address above.</li>
        <li>
          When it asks for credentials, choose <b>Basic</b>: user name <Code>key</Code>, password the key, for the base
          address.
        </li>
      </ol>
    ),
  },
  "google-sheets": {
    words: "Google Sheets",
    guide: "google-sheets",
    steps: (
      <ol className={classes.steps}>
        <li>Extensions → Apps Script: paste the script of the guide.</li>
        <li>
          Project Settings → Script Properties: <Code>PUBLIC_API_URL</Code> is the base address above,{" "}
          <Code>PUBLIC_API_KEY</Code> the key. Then run <Code>onePage</Code>.
        </li>
      </ol>
    ),
  },
  python: { words: "Python", guide: "python", steps: <Lines of={python} /> },
  node: { words: "Node", guide: "node", steps: <Lines of={node} /> },
  curl: { words: "curl", guide: "curl", steps: <Lines of={curlLine} /> },
};

/** Lines for a terminal, to copy. */
function Lines({ of: lines }: { of: string }) {
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed">
        For a terminal. It asks for the key, so the key stays out of your shell history. Paste it; nothing will appear.
      </Text>
      <Code block className={classes.curl}>
        {lines}
      </Code>
      <CopyButton value={lines} label="Copy command" size="xs" />
    </Stack>
  );
}

/** The way from the new key to the first answer, and whether one has come. */
export function FirstRequest({ keyId, isWatching }: { keyId: string; isWatching: boolean }) {
  const [way, setWay] = useState<string | null>("power-bi");
  const used = useFirstUse(keyId, isWatching);
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
      {used === null && isWatching && (
        <Group gap="xs">
          <Loader size={14} aria-hidden />
          <Text size="sm" c="dimmed">
            Waiting for the first request …
          </Text>
        </Group>
      )}
      <BaseAddress />
      <Tabs value={way} onChange={setWay} keepMounted={false}>
        <Tabs.List aria-label="What makes the request">
          {Object.entries(ways).map(([name, { words }]) => (
            <Tabs.Tab key={name} value={name}>
              {words}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(ways).map(([name, { guide, steps, words }]) => (
          <Tabs.Panel key={name} value={name} pt="sm">
            {steps}
            <Anchor href={`/reference/guides/${guide}/`} target="_blank" size="sm">
              The guide for {words}
            </Anchor>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

type Use = { at: string; endpoint: string | null; client: string | null };

/** The use of this key that the list has. */
function findUse(keys: ApiKey[], keyId: string): Use | null {
  const key = keys.find(({ id }) => id === keyId);
  return key?.last_used_at ? { at: key.last_used_at, endpoint: key.last_endpoint, client: key.last_client } : null;
}

/** Looks every few seconds whether the key has been used, as long as the person sees the page. Null: not yet. */
function useFirstUse(keyId: string, isWatching: boolean): Use | null {
  const [used, setUsed] = useState<Use | null>(null);
  const isOver = used !== null || !isWatching;
  useEffect(() => {
    if (isOver) return;
    const look = async (): Promise<void> => {
      if (document.hidden) return;
      // Without an answer it looks again the next time.
      const keys = await listApiKeys().catch(() => []);
      setUsed((before) => before ?? findUse(keys, keyId));
    };
    const timer = setInterval(() => void look(), 4000);
    return () => clearInterval(timer);
  }, [keyId, isOver]);
  return used;
}
