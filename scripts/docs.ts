// npm run docs: writes the table of endpoints into README.md and docs/api.md, runs their curl commands against the stack that `npm start`
// runs, and writes their output below them. So all outputs there are real; test/api/docs.test.ts checks them.
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { endpoints } from "../functions/public-api/endpoints.ts";
import { withDatabase } from "./stack/database.ts";
import { root } from "./stack/process.ts";
import { runCommandLine, runningStack } from "./stack/running.ts";
import type { StackFile } from "./stack/stack.ts";

export const pages = ["README.md", "docs/api.md"];

/** A curl command of a page, and the block with its output; null when there is none yet. */
export interface Example {
  page: string;
  command: string;
  shown: string | null;
}

/** A `sh` block, and the block that follows it if that shows an output. */
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

/** Runs a command of a page as its reader does: in a shell, with $API and $KEY set. Returns what it printed. */
export function runWithCurl(command: string, api: string, key: string): string {
  const { stdout, status, error } = spawnSync("sh", ["-c", command], { env: { ...process.env, API: api, KEY: key } });
  if (error || status !== 0) throw new Error(`${command}ended with ${error?.message ?? status}`);
  return stdout.toString();
}

/**
 * Does what the curl command does, without curl.
 * @throws Error when the command holds more than a URL, -H and -d
 */
export async function runWithFetch(
  command: string,
  api: string,
  key: string,
  request: (url: string, init: RequestInit) => Promise<Response> = fetch,
): Promise<string> {
  const [, ...words] = shellWords(command, { API: api, KEY: key });
  const headers = new Headers();
  let url = "";
  let body: string | undefined;
  while (words.length > 0) {
    const word = words.shift() ?? "";
    if (word === "-H") {
      const [name = "", value = ""] = words.shift()?.split(/:\s*/, 2) ?? [];
      headers.append(name, value);
    } else if (word === "-d") body = words.shift();
    else if (word.startsWith("-") || url !== "") throw new Error(`what does ${word} mean in: ${command}`);
    else url = word;
  }
  const response = await request(url, body === undefined ? { headers } : { method: "POST", headers, body });
  return await response.text();
}

/** Splits a simple shell command into its words. */
function shellWords(command: string, variables: Record<string, string>): string[] {
  const expand = (text: string) => text.replace(/\$(\w+)/g, (_, name: string) => variables[name] ?? "");
  const words = command.trim().matchAll(/\\\n|'([^']*)'|"([^"]*)"|([^\s'"\\]+)/g);
  return [...words].flatMap(([whole, single, double]) => {
    if (whole === "\\\n") return [];
    return [single ?? expand(double ?? whole)];
  });
}

/** An output as a page shows it: JSON with two spaces, CSV with the line ends that Markdown has. */
export function asBlock(output: string): string {
  try {
    return `\`\`\`json\n${JSON.stringify(JSON.parse(output), null, 2)}\n\`\`\`\n`;
  } catch {
    return `\`\`\`csv\n${output.replaceAll("\r\n", "\n")}\`\`\`\n`;
  }
}

/** The demo data ends on 2026-11-20; newer rewards come from an import, and would be first in every list. */
export async function removeImports(stack: StackFile): Promise<void> {
  await withDatabase(
    stack.superuser_url,
    (sql) => sql`
      delete from app.rewards
      where created_at >= '2026-11-21Z' and external_id is not null
        and company_id in (select id from app.companies where name = ${stack.companies[0]?.name ?? ""})`,
  );
}

/** A page with the table of endpoints as it has to be now. */
export function withEndpoints(markdown: string): string {
  const code = (text: string) => `\`${text}\``;
  const rows = endpoints.map(({ method, path, aliases, scope, summary }) => {
    const cells = [
      code(`${method} ${path}`),
      aliases.map(code).join(", "),
      scope ? code(scope) : "any valid key",
      summary,
    ];
    return `| ${cells.join(" | ").replaceAll("|  |", "| |")} |\n`;
  });
  const table = `| Method and path | Alias | Scope | What it answers |\n|---|---|---|---|\n${rows.join("")}`;
  return markdown.replace(/(?<=<!-- endpoints -->\n\n).*?(?=\n<!-- end -->)/s, table);
}

const usage = `Usage: npm run docs
Writes the table of endpoints into ${pages.join(" and ")}, runs their curl commands against the stack that npm start runs,
and writes what these print below them.`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" } } });
  if (values.help) return console.log(usage);
  const stack = await runningStack();
  const key = stack.companies[0]?.api_key ?? "";
  await removeImports(stack);
  for (const page of pages) {
    const markdown = await readFile(`${root}/${page}`, "utf8");
    const written = withEndpoints(markdown).replace(block, (whole, command: string) => {
      if (!isExample(command)) return whole;
      return `\`\`\`sh\n${command}\`\`\`\n\n${asBlock(runWithCurl(command, stack.api_url, key))}`;
    });
    await writeFile(`${root}/${page}`, written);
    console.log(`${page}: ${written === markdown ? "as it was" : "written"}`);
  }
  await removeImports(stack);
}

if (import.meta.main) await runCommandLine(main, usage);
