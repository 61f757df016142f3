// npm run verify (docs/operate/deploy.md, Verify a deployment): it finds nothing wrong with the stack, and each of the
// things that may be wrong with a deployed project, when a proxy in front of the stack or a database has it.
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeEach, expect, test } from "vitest";
import { runSql } from "../../scripts/stack/database.ts";
import { root } from "../../scripts/stack/process.ts";
import { serve } from "../cli/faulty_proxy.ts";
import { environment, runProgram, workFolder } from "../support/command_line.ts";
import { companyOfFile, makeKey } from "../support/companies.ts";
import { first, sql, stack } from "../support/stack.ts";
import { newProject, olderProject, removeProjects } from "../support/two_projects.ts";

/** What the proxy does to the answers to requests such as `GET /members?limit=2`. */
type Fault = (answer: { status: number; headers: Headers; body: string }) => unknown;
let fault: [requests: RegExp, change: Fault] | undefined;
beforeEach(() => {
  fault = undefined;
});

/** The hosts of the API and of the dashboard, and the proxies whose addresses take the place of theirs. */
const hosts: [own: string, proxy: string][] = [];
const proxied = (text: string) => hosts.reduce((all, [own, proxy]) => all.replaceAll(own, proxy), text);
const isPassed = ([name]: [string, unknown]) =>
  !/^(content-(length|encoding)|transfer-|connection|keep-|host)/.test(name);
for (const own of [stack.supabase_url, stack.dashboard_url]) {
  const { url: proxy, close } = await serve(async (incoming, response) => {
    const { method = "", url = "", headers } = incoming;
    const body = await buffer(incoming);
    const passed = Object.entries(headers).filter(isPassed) as [string, string][];
    const got = await fetch(own + url, { method, headers: passed, ...(body.length > 0 && { body }) });
    const kept = [...got.headers].filter(isPassed).map(([name, value]): [string, string] => [name, proxied(value)]);
    const answer = { status: got.status, headers: new Headers(kept), body: proxied(await got.text()) };
    if (fault?.[0].test(`${method} ${url.replace("/functions/v1/public-api", "")}`)) fault[1](answer);
    response.writeHead(answer.status, [...answer.headers].flat()).end(answer.body);
  });
  hosts.push([own, proxy]);
  afterAll(close);
}

/** In place of pg_cron, which the stack's server doesn't have. */
const nightly = `create schema cron; create table cron.job (schedule text, command text, active boolean);
  insert into cron.job values ('*/5 1-4 * * *', 'call app.purge_expired()', true)`;
const { url: healthy } = await newProject();
await runSql(healthy, nightly);
afterAll(removeProjects);
const folder = workFolder();

/** Runs the command. Returns what was not right, by the names of the checks. */
async function verify(key = first.key, database = healthy, dashboard?: string) {
  const env = { ...environment(key, proxied(stack.api_url)), DATABASE_URL: database, DASHBOARD_URL: dashboard };
  const run = await runProgram(process.execPath, [`${root}/scripts/verify.ts`], folder, env);
  const report = await readFile(`${folder}/verify.json`, "utf8");
  const { findings }: { findings: Record<"check" | "result" | "saw" | "page", string>[] } = JSON.parse(report);
  for (const { page } of findings) expect(page).toMatch(/^docs\/[\w/-]+\.md/);
  const others = findings.filter(({ result }) => result !== "right");
  const found = Object.fromEntries(others.map(({ check, result, saw }) => [check, `${result}: ${saw}`]));
  return { code: run.code, found, texts: [report, run.stdout, run.stderr] };
}

test("a project that is as it should be: all is right, nothing is written, and the report has neither key nor data", async () => {
  const rewards = () => sql`select count(*), max(changed_in::text) from app.rewards where company_id = ${first.id}`;
  const before = await rewards();
  const { code, found, texts } = await verify(first.key, healthy, proxied(stack.dashboard_url));
  expect({ code, found }).toEqual({ code: 0, found: { "missing scope": "not made: the key has every scope" } });
  expect(texts[1]).toMatch(/\n\d\d right, 1 not made: see verify.json\n$/);
  expect(await rewards()).toEqual(before);
  const people = await sql`select name, email from app.members where company_id = ${first.id}`;
  const secrets = [first.key, first.name, new URL(healthy).password, ...people.flatMap((row) => Object.values(row))];
  expect(secrets.filter((secret) => texts.some((text) => text.includes(secret)))).toEqual([]);
});

const { company } = await companyOfFile("Verified");

test("a key with fewer scopes gets the checks that it can, and each other check says why it was not made", async () => {
  const { api_key } = await makeKey(company.admin, "verify", ["read:members"]);
  const { code, found } = await verify(api_key, "");
  const made = ["GET /", "GET /members", "GET /members/changes", "missing scope", "POST /mcp"];
  expect([code, made.filter((name) => found[name])]).toEqual([0, []]);
  const why = /^not made: (the key lacks (?!read:members)|DATABASE_URL|DASHBOARD_URL)/;
  expect(Object.values(found).filter((saw) => !why.test(saw))).toEqual([]);
  const anonymous = await verify("", "");
  expect(anonymous.found).toMatchObject({ "GET /": "not made: PUBLIC_API_KEY isn't set" });
  expect(anonymous.code).toBe(0);
});

const body =
  (from: string | RegExp, to: string): Fault =>
  (answer) => {
    answer.body = answer.body.replaceAll(from, to);
  };
const platform =
  (status: number): Fault =>
  (answer) =>
    Object.assign(answer, { status, headers: new Headers(), body: '{"message":"Failed"}' });
const verifyJwt: Fault = (answer) => answer.status === 401 && platform(401)(answer);
const otherHost: Fault = ({ headers }) => headers.set("Link", '<https://other.example/members>; rel="next"');
const noOrigin: Fault = ({ headers }) => headers.delete("Access-Control-Allow-Origin");
let firstChanges: string | undefined;
const again: Fault = (answer) => {
  firstChanges ??= answer.body;
  answer.body = firstChanges;
};

test.each<[check: string, saw: string, requests: RegExp, change: Fault, code?: number]>([
  ["no key", "but not of the function: is verify_jwt on?", /^GET $/, verifyJwt],
  ["unknown key", "wrong: 500 (null), not 401", /^GET \/members$/, platform(500)],
  ["GET /", "the function is 1.3.0, this folder", /^GET $/, body(/n":"1\.[^"]+/g, 'n":"1.3.0')],
  ["HEAD", "wrong: 503 (null), not 401", /^HEAD/, platform(503)],
  ["HEAD", "the platform's answer: 405", /^HEAD/, platform(405), 0],
  ["GET /members", "Link leads to https://other.example: set", /^GET \/members\?limit=2$/, otherHost],
  ["GET /teams", "the header of CSV must be id,name,created_at", /\/teams\?.*csv/, body(/^.*\r\n/g, "")],
  ["GET /rewards", "Access-Control-Allow-Origin does not match", /^GET \/rewards\?/, noOrigin],
  ["GET /categories", "no good answer (SyntaxError)", /\/categories\?/, body(/^.*$/gs, "<html>")],
  ["GET /activity", "must NOT have additional properties", /\/activity\?/, body(/"id":/g, '"x":1,"id":')],
  ["GET /members/changes", "changes repeat: cursors must rise", /\/members\/changes/, again],
  ["POST /mcp", "must answer", /^POST \/mcp/, body(/"name":"list_teams"/g, '"name":"x"')],
  ["signing in", "wrong: 404", /oauth-auth/, platform(404)],
  ["dashboard", "refuses the publishable key in its files", /js$/, body(/sb_publishable_/g, "$&x")],
  ["dashboard", "its header Content-Type is null, not text/html", /^GET \/$/, platform(200)],
])("what is wrong with %s is found: %s", async (check, saw, requests, change, code = 1) => {
  fault = [requests, change];
  const { found, ...run } = await verify(first.key, "", proxied(stack.dashboard_url));
  const others = Object.fromEntries(Object.entries(found).filter(([_, said]) => !said.startsWith("not made")));
  expect({ code: run.code, others }).toEqual({ code, others: { [check]: expect.stringContaining(saw) } });
});

const noSecurity = `${nightly}; alter table app.kudos disable row level security`;
test.each<[what: string, change: string, check: string, saw: string, migrations?: string]>([
  ["no job for the night", "select", "nightly job", "app.purge_expired() runs at no time, not every few minutes"],
  ["one job a night", nightly.replace("*/5 1-4", "0 3"), "nightly job", "app.purge_expired() runs at 0 3 * * *, not"],
  ["half of the migrations", nightly, "database", "push the migrations", "20261127004207"],
  ["no row-level security", noSecurity, "database", "table app.kudos"],
])("it finds it when the database has %s", async (_what, change, check, saw, newest) => {
  const { url } = newest ? await olderProject(newest) : await newProject();
  await runSql(url, change);
  const { code, found } = await verify("", url);
  expect({ code, found }).toMatchObject({ code: 1, found: { [check]: expect.stringContaining(saw) } });
});
