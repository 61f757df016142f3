import { Anchor, Button, Code, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useLoading } from "../account/use_action.ts";
import type { ApiKey } from "../database.ts";
import { CopyButton } from "../parts/copy_button.tsx";
import { Failed } from "../parts/failed.tsx";
import { After, Aside, Hint, Name } from "../parts/name.tsx";
import { Ago, When } from "../parts/when.tsx";
import { unreachable } from "../problems.ts";
import { labelOf } from "../scopes.ts";
import { baseAddress } from "../settings.ts";
import { isProven } from "./assistant.ts";
import { Fact } from "./key_drawer.tsx";
import { ActionButton, StateOf } from "./key_table.tsx";
import classes from "./keys.module.css";
import { useKey, useKeys } from "./keys_of_page.ts";

/** How to connect each: a line for where to enter the address, and one for what comes then. */
const steps = {
  Claude: `Settings › Connectors › Add custom connector: paste the address, and choose Connect.
Sign in here, tick what it may read, and switch the connector on in a chat.`,
  ChatGPT: `Settings › Apps & Connectors, in Developer mode › Create: paste the address, with OAuth.
Sign in here, tick what it may read, and choose the connector in a chat.`,
  "VS Code": `Command Palette › MCP: Add Server › HTTP: paste the address.
Allow the sign-in, tick here what it may read, and ask in Agent mode.`,
  "Any other": `Add an MCP server (Streamable HTTP) with the address, and let it sign in with OAuth.
If it only takes a key in a header, create a key for it.`,
};

const wish = `Please let assistants sign in to the public data API: set PUBLIC_API_DASHBOARD_URL to ${window.location.origin}. How: "Let assistants sign in" in docs/operate/dashboard.md.`;

/** The address at which assistants sign in, as the API says it: null where the operator has not turned it on. */
async function signInAddress(): Promise<string | null> {
  const answer = await fetch(`${baseAddress}/mcp/.well-known/oauth-protected-resource`).catch(() => null);
  if (answer?.status === 404) return null;
  if (!answer?.ok) throw unreachable();
  return (await answer.json()).resource;
}

/** Where assistants sign in, how to connect each, and which are connected. */
export function Assistants({ onCreate }: { onCreate: () => void }) {
  const [address, setAddress] = useState<string | null | undefined>();
  const { again, problem } = useLoading(async () => setAddress(await signInAddress()));
  const connected = useKeys().keys.filter(({ assistant, status }) => assistant !== null && status === "active");
  return (
    <Stack component="section" aria-label="Assistants" gap="md">
      {connected.length > 0 && (
        <>
          <Title order={2}>Connected</Title>
          <Stack component="ul" gap="xs" className="bare">
            {connected.map((key) => (
              <Connected key={key.id} apiKey={key} />
            ))}
          </Stack>
        </>
      )}
      <Paper withBorder p="var(--room)" mih="8rem">
        <Stack gap="sm" align="flex-start">
          <Failed onTryAgain={again}>{problem?.message}</Failed>
          {address && <Connecting address={address} />}
          {address === null && (
            <>
              <Title order={2}>Assistants cannot sign in yet</Title>
              <Text>
                When this is turned on, Claude, ChatGPT, VS Code and others connect with an address, without a key. Ask
                whoever runs the service to turn it on.
              </Text>
              <CopyButton value={wish} label="Copy the request" />
            </>
          )}
          <Button onClick={onCreate}>Create a key for a program that takes one</Button>
        </Stack>
      </Paper>
    </Stack>
  );
}

function Connecting({ address }: { address: string }) {
  return (
    <>
      <Title order={2}>Connect an assistant</Title>
      <Text>
        Give the assistant this address. It sends you here, you tick what it may read, and it gets a key of its own for
        90 days, which never writes. What it reads goes to the company that runs it.
      </Text>
      <Group gap="xs">
        <Code fz="sm" p="0.4rem 0.6rem">
          {address}
        </Code>
        <CopyButton value={address} label="Copy the address for assistants" size="xs" />
      </Group>
      <dl className={classes.facts}>
        {Object.entries(steps).map(([program, lines]) => (
          <Fact key={program} name={program}>
            <span style={{ whiteSpace: "pre-line" }}>{lines}</span>
          </Fact>
        ))}
      </dl>
    </>
  );
}

/** An assistant that has a key: who agreed, what it reads, its use and its end. */
function Connected({ apiKey }: { apiKey: ApiKey }) {
  const { onAction } = useKeys();
  const { concerns } = useKey(apiKey);
  const { name, hint, scopes, created_by, last_used_at, expires_at, assistant } = apiKey;
  return (
    <Paper component="li" withBorder px="var(--room)" py="sm">
      <Group justify="space-between">
        <div>
          <Group gap="0 0.75rem">
            <Anchor component="button" type="button" c="inherit" onClick={() => onAction("details", apiKey)}>
              <Name strong>{name}</Name>
            </Anchor>
            <StateOf apiKey={apiKey} />
            {!isProven(apiKey) && <Aside>a program that calls itself so</Aside>}
          </Group>
          <Text size="sm">
            Reads {scopes.map(labelOf).join(", ")}
            <After words="; agreed by ">{created_by}</After>
          </Text>
          <Aside>
            <Hint>{hint}</Hint> {last_used_at === null && "never used"}
            <After words="last used ">{last_used_at && <Ago at={last_used_at} />}</After>
            <After words=", until ">{expires_at && <When at={expires_at} as="shortEnd" />}</After>
          </Aside>
          {concerns.map(({ words, remedy }) => (
            <Text key={words} size="sm" fw={600}>
              {words}
              {remedy === "connect" && `: connect ${assistant} again, as below`}
            </Text>
          ))}
        </div>
        <ActionButton action="revoke" of={`${name} ${hint}`} apiKey={apiKey} />
      </Group>
    </Paper>
  );
}
