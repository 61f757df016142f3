// The local Data API answers what PostgREST 16.2 answers (test/recorded), but for its name, and PGRST202's hint, which is
// a guess. What it sends to PostgreSQL is in test/sql/data_api_calls.test.ts.
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { SignJWT } from "jose";
import postgres from "postgres";
import { afterAll, expect, test } from "vitest";
import { startDataApi } from "../../scripts/stack/data_api.ts";
import { startPostgres } from "../../scripts/stack/postgres.ts";
import { root } from "../../scripts/stack/process.ts";
import { randomPassword, stackSecrets } from "../../scripts/stack/secrets.ts";
import { workFolder } from "../support/command_line.ts";
import { read } from "../support/pages.ts";

type Answer = { status: number; words: string; headers: Record<string, string>; body: string };

const folder = workFolder();
const secret = randomPassword();
const server = await startPostgres(folder, await stackSecrets(folder), { port: 0, throwaway: true });
const sql = postgres(server.url("supabase_admin"), { max: 2, onnotice: () => {} });
const settings = { PGRST_DB_POOL: "2", PGRST_DB_POOL_ACQUISITION_TIMEOUT: "1" };
const dataApi = await startDataApi(`${folder}/data_api.log`, server.url("authenticator"), secret, { settings });
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await dataApi.stop();
  await server.stop();
});

const tokenOf = (role: string): Promise<string> =>
  new SignJWT({ role }).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));
const tokens: Record<string, string> = {
  "a bad token": "x.y.z",
  "a token without a role's right": await tokenOf("authenticated"),
};
const secretKey = await tokenOf("service_role");

/** The headers that the recording has, but the name of the program. */
const withoutOwn = (headers: [name: string, value: string][]) =>
  Object.fromEntries(headers.filter(([name]) => !["date", "connection", "server"].includes(name)));

async function send(name: string, body: string, { token = secretKey, method = "POST" } = {}): Promise<Answer> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: "application/json" };
  const sent = request(`http://127.0.0.1:${dataApi.port}/${name}`, { method, headers, agent: false });
  const [response]: IncomingMessage[] = await once(sent.end(body), "response");
  const { statusCode: status = 0, statusMessage: words = "", headers: all } = response as IncomingMessage;
  return {
    status,
    words,
    headers: withoutOwn(Object.entries(all as object)),
    body: await text(response as IncomingMessage),
  };
}

/** The recorded answers: what happened, the request, and the answer. */
const recorded = read("test/recorded/postgrest-16.2-answers.txt")
  .split(/^## /m)
  .slice(1)
  .map((one) => {
    const [head = "", first = "", ...lines] = one.trimEnd().split("\n");
    const [, what = "", name = "", sent = ""] = /^(.*): POST \/(rpc\/\w+) (.*)$/.exec(head) ?? [];
    const [, status = "", words = ""] = /^HTTP\/1\.1 (\d+) (.*)$/.exec(first) ?? [];
    const pairs = lines.slice(0, lines.indexOf("")).map((line): [string, string] => {
      const [name = "", value = ""] = line.split(": ", 2);
      return [name.toLowerCase(), value];
    });
    const answer: Answer = { status: Number(status), words, headers: withoutOwn(pairs), body: lines.at(-1) ?? "" };
    return { what, name, sent, answer };
  });
const found = (what: string) => recorded.find((one) => one.what === what)?.answer as Answer;

/** The answer without a hint, and without the length of a body that has one. */
const withoutHint = ({ headers: { "content-length": _, ...headers }, body, ...answer }: Answer) => ({
  ...{ ...answer, headers },
  body: { ...JSON.parse(body), hint: null },
});

test("it reads the schema again when it is told that it has changed", async () => {
  // The functions of the recording, as far as their answers need them.
  await sql.unsafe(`
    create function public.list_teams(key_hash text, max_rows integer, starting_after uuid default null, after_time timestamptz default null)
    returns json language plpgsql as $$ begin
      perform decode(key_hash, 'hex');
      raise exception 'Unauthorized: Invalid or missing API Key' using errcode = 'PT401', detail = '';
    end $$;
    create function public.list_api_keys() returns json language sql as 'select null::json';
    revoke all on function public.list_api_keys from public;
    create function public.rec_raise(code text) returns json language plpgsql as $$ begin
      raise exception 'words' using errcode = code, detail = 'the detail', hint = 'the hint';
    end $$;
    create function public.rec_sleep(s numeric) returns json language sql set statement_timeout = '200ms' as 'select to_json(pg_sleep(s)::text)';
    create function public.rec_hold() returns json language sql as 'select to_json(pg_sleep(60)::text)'`);
  await expect.poll(async () => (await send("rpc/rec_sleep", '{"s":0}')).status).toBe(200);
});

const alone = recorded.filter(({ what }) => !/^(pool|the connection|and again|the database)/.test(what));
test.each(alone)("$what: $sent", async ({ what, name, sent, answer }) => {
  const received = await send(name, sent, { token: tokens[what] ?? secretKey });
  if (answer.body.includes("PGRST202")) expect(withoutHint(received)).toEqual(withoutHint(answer));
  else expect(received).toEqual(answer);
});

const backends = () => sql<{ pid: number }[]>`
  select pid from pg_stat_activity where usename = 'authenticator' and query not ilike '%listen%' and query not like '%pg_proc%'`;
const team = '{"key_hash":"x","max_rows":1}';

test("without a free connection for as long as a request waits, it says so; and of one that was ended, to the next request", async () => {
  const held = [1, 2].map(() => send("rpc/rec_hold", "{}"));
  const holding = () => sql`select from pg_stat_activity where wait_event = 'PgSleep'`;
  await expect.poll(async () => (await holding()).length).toBe(2);
  expect(await send("rpc/list_teams", team)).toEqual(found("pool: no connection free"));
  await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where wait_event = 'PgSleep'`;
  const ended = found("the connection was terminated");
  expect(await Promise.all(held)).toEqual([ended, ended]);

  expect(await send("rpc/list_teams", team)).toEqual(found("and again"));
  const [{ pid } = { pid: 0 }] = await backends();
  await sql`select pg_terminate_backend(${pid}, 5000)`;
  expect(await send("rpc/list_teams", team)).toEqual(ended);
  expect(await send("rpc/list_teams", team)).toEqual(found("and again"));
});

test("the program that is given takes its place, with the same settings", async () => {
  const program = `${folder}/postgrest`;
  const main = `${root}/scripts/stack/data_api/main.ts`;
  const script = `#!/bin/sh\nenv | grep ^PGRST_ | cut -d= -f1 | sort > '${program}.settings'\nexec '${process.execPath}' '${main}'\n`;
  await writeFile(program, script, { mode: 0o700 });
  const own = await startDataApi(`${folder}/own.log`, server.url("authenticator"), secret, { binary: program });
  await own.stop();
  // Those of PostgREST's documentation, all from the environment.
  const names = "DB_ANON_ROLE DB_EXTRA_SEARCH_PATH DB_POOL DB_SCHEMAS DB_URI JWT_SECRET SERVER_HOST SERVER_PORT";
  const given = (await readFile(`${program}.settings`, "utf8")).trim().split("\n");
  expect(given).toEqual(names.split(" ").map((name) => `PGRST_${name}`));
});

test("tables and everything else are not there", async () => {
  for (const [path, method] of [
    ["members", "GET"],
    ["rpc/rec_sleep?s=0", "GET"],
    ["", "GET"],
    ["rpc/rec_sleep/more", "POST"],
  ] as const)
    expect([path, (await send(path, "", { method })).status]).toEqual([path, 404]);
});

test("when the database stops and is away, it says so, and a request that broke off without words gets none", async () => {
  expect(await send("rpc/list_teams", team)).toEqual(found("and again"));
  const held = send("rpc/rec_hold", "{}");
  await expect
    .poll(async () => (await sql`select pid from pg_stat_activity where wait_event = 'PgSleep'`).length)
    .toBe(1);
  const [{ pid } = { pid: 0 }] = await sql`select pid from pg_stat_activity where wait_event = 'PgSleep'`;
  process.kill(pid, "SIGKILL");
  expect(await held).toMatchObject({ status: 400, body: '{"code":"","message":""}' });
  await expect.poll(() => sql`select`.then(() => "recovered", String)).toBe("recovered");
  await server.stop();
  await expect
    .poll(async () => JSON.parse((await send("rpc/list_teams", team)).body))
    .toMatchObject({ code: "PGRST000" });
});
