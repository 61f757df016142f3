import type { ApiKeyEvent } from "../database.ts";

const columns = [
  "created_at",
  "action",
  "member",
  "key_id",
  "key_name",
  "hint",
  "scopes",
  "expires_at",
  "former_name",
  "replaced_by",
  "reason",
];

/**
 * Saves the history as a CSV file with these columns, date-times in UTC. Names are escaped, so that a spreadsheet does not
 * read them as formulas, and a byte-order mark tells Excel that it is UTF-8. An empty `member` means an operator.
 */
export async function saveHistory(events: ApiKeyEvent[]): Promise<void> {
  const { unparse } = await import("papaparse");
  const rows = events.map((event) => ({ ...event, scopes: event.scopes.join(" ") }));
  const csv = unparse(rows, { columns, escapeFormulae: /^[=+\-@\t\r]/ });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff", csv, "\r\n"], { type: "text/csv" }));
  link.download = "api-key-history.csv";
  link.click();
  URL.revokeObjectURL(link.href);
}
