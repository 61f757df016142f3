import type { ListEndpoint } from "./endpoints.ts";
import type { Answer } from "./responses.ts";

/**
 * A list as CSV (`docs/api.md`, CSV): a header, then a line a row, each ended by CRLF. `rows` is the JSON array as the database sent
 * it. With `escapeFormulas` a spreadsheet takes no text cell for a formula.
 */
export async function csv(
  rows: string,
  { path, columns }: ListEndpoint,
  escapeFormulas: boolean,
  headers: Record<string, string>,
): Promise<Answer> {
  const { unparse } = (await import("papaparse")).default;
  const hasJson = columns.some(({ type }) => type === "json");
  const parsed: Record<string, unknown>[] = hasJson ? JSON.parse(rows, keepNumber) : JSON.parse(rows);
  for (const { name, type } of columns) {
    // Formulas first: only what came as text can be one, and -5 did not.
    if (escapeFormulas && (type === "text" || type === "json")) for (const row of parsed) escapeFormula(row, name);
    if (type === "json") for (const row of parsed) row[name] = asJsonCell(row[name]);
  }
  const text = unparse({ fields: columns.map(({ name }) => name), data: parsed });
  // papaparse ends only a file without rows with a line break.
  const file = parsed.length > 0 ? `${text}\r\n` : text;
  return {
    status: 200,
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="${path.slice(1)}.csv"`,
      ...headers,
    },
    // As bytes: Deno needs longer to send a long string.
    body: new TextEncoder().encode(file),
  };
}

function asJsonCell(value: unknown): unknown {
  return typeof value === "string" || value === null ? value : JSON.stringify(value);
}

function escapeFormula(row: Record<string, unknown>, name: string): void {
  const value = row[name];
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(value)) row[name] = `'${value}`;
}

/** Keeps the digits of a number as they were sent (1.10, or more than 2^53), which JSON.parse alone would lose. */
function keepNumber(_name: string, value: unknown, context?: { source: string }): unknown {
  if (typeof value !== "number" || !context) return value;
  return (JSON as JSON & { rawJSON(text: string): unknown }).rawJSON(context.source);
}
