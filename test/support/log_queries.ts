// The queries of sql/commands/logs, in SQLite with the few ClickHouse functions that they use.
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { root } from "../../scripts/stack/process.ts";

const folder = `${root}/sql/commands/logs`;

/** The queries, by the names of their files without the ending. */
export const queries = new Map(
  readdirSync(folder).map((file) => [file.replace(".sql", ""), readFileSync(`${folder}/${file}`, "utf8")]),
);

/** A request in the platform's own log, as the Logs Explorer has it **(vendor)**. */
export type PlatformLine = { timestamp: string; log_attributes: Record<string, string> };

/** A database with the logs as the Logs Explorer has them, including lines that are not from the function. */
function explorer(lines: string[], platform: PlatformLine[]): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  // As in ClickHouse, a missing field is an empty text or 0, also where the text is no JSON.
  const field = (line: unknown, name: unknown): unknown =>
    /^\{/.test(String(line)) ? JSON.parse(String(line))[String(name)] : undefined;
  database.function("JSONExtractString", (line, name) => String(field(line, name) ?? ""));
  database.function("JSONExtractInt", (line, name) => Math.trunc(Number(field(line, name) ?? 0)));
  database.function("JSONExtractFloat", (line, name) => Number(field(line, name) ?? 0));
  database.function("toInt32OrZero", (text) => Number(text) || 0);
  database.aggregate("countIf", { start: 0, step: (sum: number, is) => sum + Number(is) });
  database.exec("create table logs (source text, timestamp text, event_message text, log_attributes text)");
  const add = database.prepare("insert into logs values (?, ?, ?, ?)");
  const midnight = "2026-11-21T00:00:00";
  add.run("function_logs", midnight, "booted (time: 29ms)", "{}");
  add.run("edge_logs", midnight, '{"time":"another source","status":500}', '{"response.status_code":"500"}');
  for (const line of lines) add.run("function_logs", JSON.parse(line).time.slice(0, -1), line, "{}");
  for (const { timestamp, log_attributes } of platform)
    add.run("function_edge_logs", timestamp, "", JSON.stringify(log_attributes));
  return database;
}

/** Runs a query over the function's lines and the platform's. */
export function ask(query: string, lines: string[], platform: PlatformLine[] = []): Record<string, unknown>[] {
  // A field of a ClickHouse map.
  const text = query.replace(/(log_attributes)\[('[^']*')\]/g, "JSONExtractString($1, $2)");
  return explorer(lines, platform).prepare(text).all();
}
