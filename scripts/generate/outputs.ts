// The curl commands of README.md and docs/api.md, and what they print against a running stack (npm run generate --
// --examples). test/serial/docs.test.ts checks the outputs.
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { withDatabase } from "../stack/database.ts";
import { root } from "../stack/process.ts";
import type { StackFile } from "../stack/stack.ts";

export const pages = ["README.md", "docs/api.md"];

/** A curl command of a page, and the block with its output; `shown` is null when there is none yet. */
export interface Example {
  page: string;
  command: string;
  shown: string | null;
}

/** A `sh` block, and the block with its output, if one follows. */
const block = /^```sh\n(.*?)^```\n(?:\n(```(?:json|csv|text)\n.*?^```\n))?/gms;

const isExample = (command: string): boolean => command.startsWith("curl ") && command.includes("$API");

/** The examples of all pages, in order. */
export async function readExamples(): Promise<Example[]> {
  const all = await Promise.all(
    pages.map(async (page) => {
      const markdown = await readFile(`${root}/${page}`, "utf8");
      return [...markdown.matchAll(block)].map(([, command = "", shown = null]) => ({ page, command, shown }));
    }),
  );
  return all.flat().filter(({ command }) => isExample(command));
}

/** Runs a command of a page in a shell, with $API and $KEY set, as a reader does. Returns its output. */
export function runWithCurl(command: string, api: string, key: string): string {
  const { stdout, status, error } = spawnSync("sh", ["-c", command], { env: { ...process.env, API: api, KEY: key } });
  if (error || status !== 0) throw new Error(`${command}ended with ${error?.message ?? status}`);
  return stdout.toString();
}

/** An output as a page shows it: JSON indented, without the lists of GET /; CSV with line feeds. */
export function asBlock(output: string): string {
  try {
    const text = JSON.stringify(JSON.parse(output), null, 2)
      .replace(/("endpoints": \[).*?\n {2}\]/s, "$1 … ]")
      .replace(/("scopes": \[).*?\]/s, "$1 … ]");
    return `\`\`\`json\n${text}\n\`\`\`\n`;
  } catch {
    return `\`\`\`csv\n${output.replaceAll("\r\n", "\n")}\`\`\`\n`;
  }
}

/** Deletes the imported rewards of the first company, which would be first in every list. */
export async function removeImports(stack: StackFile): Promise<void> {
  await withDatabase(
    stack.superuser_url,
    (sql) => sql`
      delete from app.rewards
      where created_at >= '2026-11-21Z' and external_id is not null
        and company_id in (select id from app.companies where name = ${stack.companies[0]?.name ?? ""})`,
  );
}

/** Runs the commands of all pages, in order, and returns each page with the output below each command. */
export async function withOutputs(stack: StackFile): Promise<Map<string, string>> {
  const key = stack.companies[0]?.api_key ?? "";
  const written = new Map<string, string>();
  await removeImports(stack);
  for (const page of pages) {
    const markdown = await readFile(`${root}/${page}`, "utf8");
    const text = markdown.replace(block, (whole, command: string) => {
      if (!isExample(command)) return whole;
      return `\`\`\`sh\n${command}\`\`\`\n\n${asBlock(runWithCurl(command, stack.api_url, key))}`;
    });
    written.set(page, text);
  }
  await removeImports(stack);
  return written;
}
