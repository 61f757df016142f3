// The running stack that these tests use, and functions to send requests to it.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import postgres from "postgres";
import { expect, vi } from "vitest";
import type { StackFile } from "../../scripts/stack/stack.ts";
import { writer } from "../runner/writer.ts";
import { checkedFetch } from "./contract.ts";

const stackFile = process.env.STACK_FILE;
if (!stackFile) throw new Error("STACK_FILE must be the path of a stack.json: run npm test");

export const stack: StackFile = JSON.parse(readFileSync(stackFile, "utf8"));

/** A connection to the database as superuser, which no policy limits, to compare the API's answers with the tables. */
export const sql = postgres(stack.superuser_url, { max: 3, idle_timeout: 1, onnotice: () => {} });

/** The companies of the demo data. Tests only read them; one that writes creates its own company (companies.ts). */
export const demo = await Promise.all(
  stack.companies.map(async ({ name, api_key: key }) => {
    const [row] = await sql<{ id: string }[]>`select id::text from app.companies where name = ${name}`;
    if (!row) throw new Error(`stack.json names ${name}, which the database does not have`);
    return { id: row.id, name, key };
  }),
);
export const [first, second] = demo as [(typeof demo)[number], (typeof demo)[number]];

export const allScopes = ["read:members", "read:activity", "read:rewards", "read:analytics", "write:rewards"];

/** The hash of a key. The database stores this hash instead of the key. */
export const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex");

export const invalidKey = "Unauthorized: Invalid or missing API Key";

export type Row = Record<string, unknown>;

/** Sends a request with fetch and X-API-Key; without it if the key is null. The answer must match docs/openapi.json. */
export async function call(path: string, key: string | null, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (key !== null) headers.set("X-API-Key", key);
  return await checkedFetch(stack.api_url, path, { redirect: "manual", ...init, headers });
}

/**
 * Waits until the changes of a list have all that is committed. One is served when every transaction that began before it
 * has ended: that of the session which always writes, and those of other tests.
 */
export async function allServed(): Promise<void> {
  const [{ mark } = { mark: "" }] = await sql<{ mark: string }[]>`select pg_current_xact_id() as mark`;
  await endWriter();
  const served = () => sql`select where pg_snapshot_xmin(pg_current_snapshot()) > ${mark}::xid8`;
  await vi.waitFor(async () => expect(await served()).toHaveLength(1), { timeout: 120_000, interval: 10 });
}

/** Ends the transaction of the session that always writes. It begins another one at once. */
export const endWriter = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${writer}`;

/** The path and query of the next page below the base address, by the pattern by which octokit finds the link. */
export function nextPage({ headers }: Response): string | undefined {
  const link = (headers.get("link") ?? "").match(/(?<=<)([\S]*)(?=>; rel="next")/i)?.[0];
  if (link !== undefined && !link.startsWith(`${stack.api_url}/`))
    throw new Error(`not below the base address: ${link}`);
  return link?.slice(stack.api_url.length);
}

/** The rows of a page. */
export async function list(path: string, key: string): Promise<Row[]> {
  const response = await call(path, key);
  const body = await response.text();
  expect(response.status, `${path}: ${body}`).toBe(200);
  return JSON.parse(body);
}

/** POST /rewards with this value as the JSON body. */
export function importRewards(key: string, body: unknown): Promise<Response> {
  return call("/rewards", key, { method: "POST", body: JSON.stringify(body) });
}

/** Compares rows completely: values, and the order of rows and fields. */
export function expectRows(actual: readonly Row[], expected: readonly Row[]): void {
  expect(actual).toEqual([...expected]);
  // toEqual ignores the order of fields.
  expect(JSON.stringify(actual) === JSON.stringify(expected), "fields in the same order").toBe(true);
}

/** Expects exactly this error: JSON with one text. The contract (contract.ts) has the headers. */
export async function expectError(response: Response, status: number, error: string): Promise<void> {
  expect({ status: response.status, body: await response.json() }).toEqual({ status, body: { error } });
}

/** An SQL expression that formats the date-time of a column as the API does. */
export const dateTime = (column: string) =>
  sql`to_char(${sql(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
