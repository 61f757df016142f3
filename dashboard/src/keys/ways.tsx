import { Code, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useLoading } from "../account/use_action.ts";
import type { NewApiKey } from "../database.ts";
import { CopyButton } from "../parts/copy_button.tsx";
import { Failed } from "../parts/failed.tsx";
import { Aside } from "../parts/name.tsx";
import { unreachable } from "../problems.ts";
import { labelOf } from "../scopes.ts";
import { baseAddress } from "../settings.ts";
import { deadline } from "../supabase.ts";

/** How a program gets its first answer with a new key: one step, or several. */
type Way = { words: string; guide: string; steps: ReactNode[] };

/** Asks for the key and puts it into a variable: so it is neither in the shell's history nor in the list of processes. */
const ask = (variable: string): string => `printf 'API key: ' && read -rs ${variable}`;

/**
 * A command for bash and zsh that asks for the key first. One line: in a shell without bracketed paste, such as the bash of
 * macOS, `read` would take the next line of a pasted text for the key.
 */
const asking = (command: string): string =>
  `export PUBLIC_API_URL=${baseAddress} && ${ask("PUBLIC_API_KEY")} && export PUBLIC_API_KEY && ${command}`;

const curl = `${ask("KEY")} && printf 'X-API-Key: %s' "$KEY" | curl -H @- ${baseAddress}`;
const python = asking(
  `python3 -c 'import os, urllib.request as u; print(u.urlopen(u.Request(os.environ["PUBLIC_API_URL"], headers={"X-API-Key": os.environ["PUBLIC_API_KEY"]})).read().decode())'`,
);
const node = asking(
  `node -e 'fetch(process.env.PUBLIC_API_URL, { headers: { "X-API-Key": process.env.PUBLIC_API_KEY } }).then((r) => r.text()).then(console.log)'`,
);
const install = `npm install --global ${window.location.origin}/reference/files/public-data-api-cli.tgz`;
const assistant = `${baseAddress}/mcp`;
const connect = asking(
  `claude mcp add --transport http public-data ${assistant} --header 'X-API-Key: \${PUBLIC_API_KEY}' && claude`,
);

/** A step in words, in which code stands between backticks. */
const say = (words: string): ReactNode =>
  words
    .split("`")
    .map((part, place) => (place % 2 === 1 ? <Code key={part}>{part}</Code> : <span key={part}>{part}</span>));

const copying = (what: string, file: string): ReactNode => (
  <>
    Copy the {what}, which has the base address in it.
    <CopyFile file={`/reference/files/${file}`} label={`Copy the ${what}`} />
  </>
);

/** A line for a terminal, to copy. */
const line = (text: string): ReactNode => (
  <Stack gap="xs">
    <Text size="sm" c="dimmed">
      For a terminal. It asks for the key, so the key stays out of your shell history. Paste it; nothing will appear.
    </Text>
    <Pasted text={text} label="Copy command" />
  </Stack>
);

const way = (words: string, guide: string, ...steps: ReactNode[]): Way => ({ words, guide, steps });

/** By the name of a purpose (presets.ts), then others. */
export const ways: Record<string, Way> = {
  "power-bi": way(
    "Power BI or Excel",
    "excel-and-power-bi",
    copying("query", "public-data-api.pq"),
    "Get Data › Blank Query › Advanced Editor: paste it, and name the query PublicDataApi.",
    say("When it asks for credentials, choose Basic: user name `key`, password the key, for the base address."),
  ),
  "google-sheets": way(
    "Google Sheets",
    "google-sheets",
    copying("script", "google-sheets.gs"),
    "In a Google spreadsheet, choose Extensions › Apps Script, and paste it in place of what is there.",
    say("Project Settings › Script Properties: add `PUBLIC_API_KEY` with the key."),
    say("In the editor, choose `onePage`, then Run: the newest kudos come into a sheet."),
  ),
  "nightly-copy": way(
    "Nightly copy",
    "sqlite",
    <>
      Install the command line once. It needs Node 22.13 or later.
      <Pasted text={install} label="Copy the installation" />
    </>,
    line(asking("public-data-api sync company.sqlite")),
  ),
  "reward-import": way(
    "Reward import",
    "import-rewards",
    copying("script", "import-rewards.gs"),
    "In a Google spreadsheet with your rewards, choose Extensions › Apps Script, and paste it.",
    say("Project Settings › Script Properties: `PUBLIC_API_KEY` is the key."),
    "Reload the spreadsheet, and choose Rewards › Try, write nothing. The guide shows how to import files, too.",
  ),
  assistant: way(
    "Assistant (MCP)",
    "assistants",
    <>
      {say("The address for the assistant, which sends the key as `X-API-Key`:")}
      <Pasted text={assistant} label="Copy the address" />
    </>,
    <>For Claude Code: {line(connect)}</>,
  ),
  python: way("Python", "programs", line(python)),
  node: way("Node", "programs", line(node)),
  curl: way("curl", "programs", line(curl)),
};

/** The steps of a way: numbered, unless it is one. */
export const Steps = ({ of: { steps } }: { of: Way }) => (
  <Stack
    component="ol"
    gap="0.5rem"
    {...(steps.length > 1 ? { m: "0 0 0.5rem", ps: "1.5rem" } : { className: "bare" })}
  >
    {steps.map((step, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change
      <li key={place}>{step}</li>
    ))}
  </Stack>
);

/** A text to paste, with a button that copies it. */
function Pasted({ text, label }: { text: string; label: string }) {
  return (
    <>
      <Code block style={{ whiteSpace: "pre-wrap" }}>
        {text}
      </Code>
      <CopyButton value={text} label={label} size="xs" />
    </>
  );
}

/** Copies a file of this page. It is fetched before: some browsers copy only at the very moment of the click. */
function CopyFile({ file, label }: { file: string; label: string }) {
  const [text, setText] = useState("");
  const { again, problem } = useLoading(async () => {
    const answer = await fetch(file, { signal: AbortSignal.timeout(deadline) }).catch(() => null);
    const arrived = answer?.ok ? await answer.text().catch(() => null) : null;
    if (arrived === null) throw unreachable();
    setText(arrived);
  });
  return (
    <>
      {!problem && <CopyButton value={text} label={label} size="xs" />}
      <Failed onTryAgain={again}>{problem?.message}</Failed>
    </>
  );
}

/** Copies what a colleague needs beside the key. `way`: how the key gets its first answer (`ways.tsx`), where that is known. */
export function Handover(props: { apiKey: Pick<NewApiKey, "name" | "hint" | "scopes">; way: string | undefined }) {
  const { name, hint, scopes } = props.apiKey;
  const guide = ways[props.way ?? ""]?.guide ?? "recipes";
  const text = `${name} (${hint}): public data API
Base address: ${baseAddress}
It opens: ${scopes.map(labelOf).join(", ")}
First steps: ${window.location.origin}/reference/guides/${guide}/
The key itself comes through the password manager.`;
  return (
    <Stack gap="xs">
      <CopyButton value={text} label="Copy for a colleague" size="xs" />
      <Aside>
        Address, scopes and guide, without the key. Hand over the key itself with the sharing of your password manager.
      </Aside>
    </Stack>
  );
}
