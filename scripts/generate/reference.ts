// What pages repeat: the scopes of endpoints.ts, and in docs/api-errors.md, between <!-- errors --> and <!-- end -->, the error
// texts that the tests hold.
import { endpoints } from "../../functions/public-api/table/endpoints.ts";
import { scopes } from "../../functions/public-api/table/scopes.ts";
import { badImports } from "../../test/support/bad_imports.ts";
import { type BadRequests, badRequests } from "../../test/support/bad_requests.ts";

export const errorsPage = "docs/api-errors.md";

const code = (text: string) => `\`${text}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `|${cells.map((cell) => ` ${cell}`.trimEnd()).join(" |")} |\n`;
  return `${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;
}

/** Every scope, with the endpoints that it opens: in the introduction of docs/openapi.json. */
export const scopeTable = (): string =>
  table(
    ["Scope", "Allows"],
    scopes.map(({ name, opens }) => {
      // The changes of a list are like the list.
      const opened = endpoints.filter(({ kind, scope }) => kind !== "changes" && scope === name);
      return [code(name), `${opened.map(({ method, path }) => code(`${method} ${path}`)).join(", ")}: ${opens}`];
    }),
  );

/** Requests that are refused for nothing but their address. */
const badParameters = Object.fromEntries(
  Object.entries(badRequests).filter(([, all]) => all.every(({ headers, body }) => !headers && body === undefined)),
);

/** Error texts, each with what causes it: a group of refused requests of the tests says it in its name. */
function errorTable(groups: BadRequests): string {
  const causes = new Map<string, Set<string>>();
  for (const [name, requests] of Object.entries(groups)) {
    const [one] = requests.filter(({ status }) => status === 400);
    if (!one) continue;
    const text =
      one.error
        .replace(/ \(sent: .*/s, "")
        .replace(/which accepts .*/s, "which accepts …")
        .split("; ")[0] ?? "";
    causes.set(text, (causes.get(text) ?? new Set()).add(name));
  }
  const rows = [...causes].map(([text, names]) => [
    code(text),
    // A rule that only repeats the text is not said again.
    [...names].filter((name) => !text.endsWith(name)).join("; "),
  ]);
  return table(["Text", "The rule"], rows);
}

/** Writes the error texts into their page. */
export const withErrors = (markdown: string): string =>
  markdown.replace(
    /^<!-- errors -->\n.*?^<!-- end -->$/ms,
    () => `<!-- errors -->

## Parameters

${errorTable(badParameters)}
## Imports

${errorTable(badImports)}
<!-- end -->`,
  );
