// The checks of the API (docs/api.md). They write nothing.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import papaparse from "papaparse";
import { endpoints, version } from "../../functions/public-api/table/endpoints.ts";
import type { Column } from "../../functions/public-api/table/types.ts";
import { expect, type Verification } from "./verification.ts";

/** Was never created, and has a right checksum: only the database can refuse it. */
const unknownKey = `sk_live_${"0".repeat(32)}2UYg5A`;
const invalid = '{"error":"Unauthorized: Invalid or missing API Key"}';

/** What is answered without a key's rights. */
async function checkAnswers(api: Verification): Promise<void> {
  // Opens the connection: the first check is the unit of all times.
  await api.ask("", 401, {}, "").catch(() => {});
  for (const [name, page, method, path, status, key = ""] of [
    ["no key", "docs/operate/monitor.md, Uptime probe", "GET", "", 401],
    ["unknown key", "docs/operate/incidents.md, Requests return 500", "GET", "/members", 401, unknownKey],
    ["unknown path", "docs/api.md, Errors", "GET", "/nothing", 404],
    ["unknown method", "docs/api.md, Errors", "DELETE", "/members", 405],
    ["HEAD", "docs/api.md, Requests", "HEAD", "", 401],
    ["OPTIONS", "docs/api.md, Requests", "OPTIONS", "/members", 204],
  ] as const)
    await api.check(name, page, undefined, async () => {
      const { headers, body } = await api.ask(path, status, { method }, key);
      expect(status !== 401 || method === "HEAD" || body === invalid, `the body isn't ${invalid}`);
      const allowed = ["Origin", "Headers"].map((what) => headers.get(`Access-Control-Allow-${what}`)).join();
      expect(status !== 204 || /^\*,.*X-API-Key/.test(allowed), `web pages may only send ${allowed}`);
      return `${status}`;
    });
}

/** What the key may do, and what it may not do. */
async function checkKey(api: Verification): Promise<void> {
  await api.check("GET /", "docs/operate/upgrade.md", "", async () => {
    const { json } = await api.ask("");
    api.scopes = json.scopes;
    expect(json.version === version, `the function is ${json.version}, this folder ${version}: deploy the function`);
    return `version ${version}, scopes ${json.scopes}`;
  });
  await api.check("missing scope", "docs/api.md, Errors", "", async () => {
    const refused = endpoints.find(({ scope }) => scope !== null && api.scopes?.includes(scope) === false);
    expect(refused, "the key has every scope", "not made");
    await api.ask(refused.path, 403, { method: refused.method });
    return `403 of ${refused.method} ${refused.path}, which admins see`;
  });
  await api.check("unknown parameter", "docs/api-errors.md", "", async () => (await api.ask("/?x=1", 400)).json.error);
}

/** A list or a total as JSON and CSV, and the next page. */
async function readPages(api: Verification, path: string, query: string, columns: readonly Column[]): Promise<string> {
  const { json: rows, headers } = await api.ask(`${path}?${query}`);
  const csv = papaparse.parse<string[]>((await api.ask(`${path}?${query}&format=csv`)).body).data;
  const names = columns.map(({ name }) => name).join();
  expect(csv[0]?.join().endsWith(names), `the header of CSV must be ${names}`);
  // After the last line break, the reader finds one more line.
  expect(csv.length === rows.length + 2, `CSV has ${csv.length - 2} whole lines, JSON ${rows.length} rows`);
  if (headers.get("X-Has-More") !== "true") return `${rows.length} rows`;
  const next = /^<([^>]+)>; rel="next"$/.exec(headers.get("Link") ?? "")?.[1] ?? "missing:";
  expect(next.startsWith(`${api.base}${path}?`), `Link leads to ${new URL(next).origin}: set PUBLIC_API_URL`);
  const ids = [...rows, ...(await api.ask(next.slice(api.base.length))).json].map(({ id }) => id);
  expect(new Set(ids).size === ids.length, "the next page repeats rows");
  return `${rows.length} rows, and the next page`;
}

/** The changes of a list: to the end and from there again, or the first 4,000. */
async function readChanges(api: Verification, path: string): Promise<string> {
  let [after, count] = ["", 0];
  for (let page = 1; page <= 4; page++) {
    const { json } = await api.ask(`${path}?limit=1000&after=${after || "start"}`);
    for (const { cursor } of json) {
      expect(cursor > after, "changes repeat: cursors must rise");
      after = cursor;
    }
    count += json.length;
  }
  return `${count} changes`;
}

/** The tools of an assistant. */
async function useTools({ base, key = "", scopes = [] }: Verification): Promise<string> {
  const client = new Client({ name: "verify", version });
  const requestInit = { headers: { "X-API-Key": key } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }));
  const names = (await client.listTools()).tools.map(({ name }) => name);
  const { isError } = await client.callTool({ name: "check_key", arguments: {} });
  await client.close();
  const ours = endpoints.filter(({ forAssistants, scope }) => forAssistants && (!scope || scopes.includes(scope)));
  expect(names.join() === ours.map(({ operation }) => operation).join() && !isError, `the tools ${names} must answer`);
  return `${names.length} tools`;
}

/** Checks the API, as far as the key allows. */
export async function checkApi(api: Verification): Promise<void> {
  await checkAnswers(api);
  await checkKey(api);
  for (const endpoint of endpoints) {
    const { path, scope, kind } = endpoint;
    if (kind !== "list" && kind !== "changes" && kind !== "aggregates") continue;
    const heading = { list: "Lists", changes: "Keeping a copy", aggregates: "Questions" }[kind];
    await api.check(`GET ${path}`, `docs/api.md, ${heading}`, scope ?? "", () => {
      if (kind === "changes") return readChanges(api, path);
      if (kind === "aggregates") return readPages(api, path, "by=month", endpoint.columns);
      const include = endpoint.included.map(({ name }) => `&include=${name}`).join("");
      return readPages(api, path, `limit=2${include}`, [...endpoint.columns, ...endpoint.included]);
    });
  }
  await api.check("POST /rewards", "docs/api.md, Import", "write:rewards", async () => {
    const body = JSON.stringify({ external_id: "npm run verify", name: "Verify", points_cost: 1 });
    const { json } = await api.ask("/rewards?dry_run=true", 200, { method: "POST", body });
    expect(json.imported === 0 && json.created + json.updated === 1, "a dry run of one reward has other counts");
    return "a dry run of one reward";
  });
  await api.check("POST /mcp", "docs/api.md, Assistants", "", () => useTools(api));
}
