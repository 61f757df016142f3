// Lists from a read replica (docs/operate/read-replicas.md): a real standby of the stack's database, which is late,
// killed and promoted. In front of it, and of the primary, is a Data API.
// Needs a stack of its own: the standby is a copy of the files of the stack's server.
import { afterAll, expect, onTestFinished, test } from "vitest";
import { lists } from "../../functions/public-api/table/endpoints.ts";
import { type ApiKey, companyOfFile } from "../support/companies.ts";
import { type FunctionProcess, startDataApi, startFunction } from "../support/function_process.ts";
import { ask, queries } from "../support/log_queries.ts";
import { allServed, hashOf, type Row, sql, stack } from "../support/stack.ts";
import { startStandby } from "../support/standby.ts";

const standby = await startStandby();
const [primary, replica] = await Promise.all([startDataApi(stack.superuser_url), startDataApi(standby.url, true)]);
const withReplica = await startFunction(primary.url, "deno", [replica.url]);
const plain = await startFunction(primary.url);
const { company, key } = await companyOfFile("Replica");
await addMembers(30);
await standby.caughtUp();
afterAll(async () => {
  await Promise.all([withReplica, plain].map((instance) => instance.kill()));
  await Promise.all([primary, replica].map(({ stop }) => stop()));
  await standby.stop();
});

async function addMembers(count: number): Promise<void> {
  await sql`
    insert into app.members (company_id, name, email)
    select ${company.id}, 'Someone', gen_random_uuid() || '@x.example' from generate_series(1, ${count}::integer)`;
}

/** Runs `use` while the standby applies nothing of what the primary commits. */
async function late(use: () => Promise<void>): Promise<void> {
  await standby.caughtUp();
  await standby.sql`select pg_wal_replay_pause()`;
  const state = () => standby.sql`select pg_get_wal_replay_pause_state() as is`;
  await expect.poll(state).toEqual([{ is: "paused" }]);
  await use().finally(async () => {
    await standby.sql`select pg_wal_replay_resume()`;
    await standby.caughtUp();
  });
}

/** The status and body of an answer, and what its log line says of the servers. */
async function send(path: string, api_key = key, { url, log } = withReplica) {
  const response = await fetch(url + path, { headers: { "X-API-Key": api_key } });
  const [id, body] = [response.headers.get("X-Request-Id") ?? "", await response.text()];
  const line = () => new RegExp(`^.*${id}.*\\}$`, "m").exec(log())?.[0];
  await expect.poll(line).toBeDefined();
  const until = response.headers.get("X-Changes-Until");
  return { ...JSON.parse(line() ?? ""), status: response.status, body, until };
}

const rowsOf = ({ body }: { body: string }): Row[] => JSON.parse(body);

// Proves: copies.18
test("a page of changes of the replica does not say until when it has every change, one of the primary does", async () => {
  await standby.caughtUp();
  expect(await send("/members/changes?limit=1")).toMatchObject({ served_by: "replica", until: null });
  expect((await send("/members/changes?limit=1", key, plain)).until).toMatch(/^2.*Z$/);
});

test("every list of the replica is byte for byte the primary's, as JSON and as CSV", async () => {
  await standby.caughtUp();
  const paths = lists.flatMap(({ path }) => ["json", "csv"].map((format) => `${path}?format=${format}`));
  for (const path of paths) {
    const { body } = await send(path, key, plain);
    const answer = { status: 200, body, served_by: "replica", replica_lag_milliseconds: expect.any(Number) };
    expect(await send(path)).toMatchObject(answer);
  }
});

/** Writes to the company as superuser what only a trigger or a move may write. */
const force = (change: string) =>
  sql.begin((tx) => tx.unsafe(`set local session_replication_role = replica; update app.${change}`));

const closed = `companies set serving = 'closed', move_id = gen_random_uuid() where id = '${company.id}'`;
test.each<[what: string, status: number, end: (key: ApiKey) => Promise<unknown>]>([
  ["was revoked", 401, ({ id }) => company.revoke(id)],
  ["was replaced", 401, async ({ id }) => company.admin.rpc("replace_api_key", { key_id: id, overlap: "0" })],
  ["has expired", 401, ({ id }) => force(`api_keys set expires_at = now() where id = '${id}'`)],
  ["lost its scope", 403, ({ id }) => force(`api_keys set scopes = '{read:rewards}' where id = '${id}'`)],
  ["is of a company that has moved away", 401, () => force(closed)],
])("while the replica is late, a key that %s is refused at once", async (_what, status, end) => {
  const ended = await company.makeKey();
  await standby.caughtUp();
  expect(await send("/members", ended.api_key)).toMatchObject({ status: 200, served_by: "replica" });
  await late(async () => {
    await end(ended);
    for (const format of ["json", "csv"])
      expect((await send(`/members?format=${format}`, ended.api_key)).status).toBe(status);
    // The replica alone would serve it.
    const body = JSON.stringify({ rpc: "list_members", key_hash: hashOf(ended.api_key), max_rows: 1 });
    const headers = { apikey: stack.secret_key, "Content-Type": "application/json" };
    const alone = await fetch(`${replica.url}/rest/v1/rpc/read_page`, { method: "POST", headers, body });
    expect(alone.status).toBe(200);
  });
  await force(`companies set serving = 'open', move_id = null where id = '${company.id}'`);
});

test("when the replica is later than an operator allows, the primary serves", async () => {
  const allow = (interval: string) =>
    sql.unsafe(`
      create or replace function app.max_replica_lag() returns interval
      language sql stable set search_path = '' return interval '${interval}'`);
  onTestFinished(async () => void (await allow("30 seconds")));
  await allow("1 millisecond");
  await late(async () => {
    await addMembers(1);
    const answer = { status: 200, served_by: "primary", replica_error: "read_page answered 503 with PT503" };
    await expect.poll(() => send("/members?limit=1")).toMatchObject(answer);
  });
});

test("a copy that is kept from both servers ends equal to the primary", async () => {
  const copy = new Map<unknown, Row>();
  let cursor = "start";
  const servedBy = new Set<string>();
  /** Reads one page; returns whether there was any change. */
  const sync = async (from: FunctionProcess) => {
    const answer = await send(`/members/changes?after=${cursor}&limit=5`, key, from);
    expect(answer).toMatchObject({ status: 200 });
    servedBy.add(answer.served_by);
    for (const { cursor: next, deleted, ...row } of rowsOf(answer)) {
      if (deleted) copy.delete(row.id);
      else copy.set(row.id, row);
      cursor = String(next);
    }
    return rowsOf(answer).length > 0;
  };
  /** Deletes two members that come on the third page, changes three, and adds two. */
  const change = async () => {
    const members = sql`select id from app.members where company_id = ${company.id} and role <> 'admin'`;
    const deleted = sql`${members} order by changed_in, id offset 11 limit 2`;
    await sql`delete from app.members where company_id = ${company.id} and id in (${deleted})`;
    const changed = sql`${members} order by random() limit 3`;
    await sql`update app.members set name = name || '!' where company_id = ${company.id} and id in (${changed})`;
    await addMembers(2);
    await allServed();
  };
  // It begins at the primary, where members have been deleted that the replica still has and returns.
  for (let round = 0; round < 5; round++) {
    await late(async () => {
      await change();
      await sync(plain);
      for (let page = 0; page < 3; page++) await sync(withReplica);
      await change();
      await sync(round % 2 === 0 ? plain : withReplica);
    });
    await sync(withReplica);
  }
  while (await sync(withReplica));
  const all = rowsOf(await send("/members?limit=1000", key, plain));
  expect(copy).toEqual(new Map(all.map((row) => [row.id, row])));
  expect(servedBy).toContain("replica");
});

/** What the alerts of docs/operate/monitor.md find in these lines of the log. */
const alerts = (log: string) => ask(queries.get("alerts") ?? "", log.match(/^\{"time":.*\}$/gm) ?? []);

const killed = () => standby.kill().then(() => standby.start);
test.each<[what: string, why: RegExp, end: () => Promise<() => unknown>]>([
  ["is killed", /^read_page answered (400 with no code|503 with PGRST000)/, killed],
  ["hangs", /^read_page gave no complete answer \(TimeoutError\)$/, standby.hang],
])("no caller notices that the standby %s and comes back, but an alert does", async (_what, why, end) => {
  const answers: string[] = [];
  let isOver = false;
  const callers = Array.from({ length: 3 }, async () => {
    while (!isOver) {
      const { status, served_by } = await send("/members?limit=30");
      answers.push(`${status} ${served_by}`);
    }
  });
  const more = (count: number, since = answers.length) =>
    expect.poll(() => answers.length).toBeGreaterThan(since + count);
  const servesAgain = () => expect.poll(() => new Set(answers.slice(-20))).toEqual(new Set(["200 replica"]));
  try {
    await more(20);
    await servesAgain();
    const quiet = withReplica.log().length;
    await more(20);
    // Nothing but that this log has no line of a probe.
    expect(alerts(withReplica.log().slice(quiet))).toMatchObject([{ failures: 0, not_from_replica: 0, probes: 0 }]);
    const back = await end();
    try {
      const ended = withReplica.log().length;
      await more(40);
      const log = withReplica.log().slice(ended);
      const many = expect.toSatisfy((lists) => lists >= 20);
      expect(alerts(log)).toMatchObject([{ failures: 0, not_from_replica: many }]);
      const reasons = [...log.matchAll(/"replica_error":"([^"]*)"/g)].map(([, reason]) => reason);
      expect(reasons).toContainEqual(expect.stringMatching(why));
    } finally {
      await back();
    }
    await servesAgain();
  } finally {
    isOver = true;
    await Promise.all(callers);
  }
  expect(new Set(answers)).toEqual(new Set(["200 replica", "200 primary"]));
});

// Proves: copies.18
test("a standby that has been promoted is no replica any more, and serves as the primary of a function without any", async () => {
  await allServed();
  await standby.caughtUp();
  const page = rowsOf(await send("/members/changes?limit=1"));
  await standby.sql`select pg_promote()`;
  await addMembers(1);
  const { body } = await send("/members?limit=2", key, plain);
  expect(await send("/members?limit=2")).toMatchObject({ status: 200, body, served_by: "primary" });

  const promoted = await startFunction(replica.url);
  onTestFinished(() => promoted.kill());
  const of = (path: string) => send(path, key, promoted);
  const own = await of("/members?limit=2");
  expect(own.status).toBe(200);
  expect(own.body, "without the new member").not.toBe(body);
  // What was copied before may not be what it has. It knows that it is another server after the next checkpoint.
  await standby.sql`checkpoint`;
  await expect.poll(async () => (await of(`/members/changes?after=${page[0]?.cursor}`)).status).toBe(410);

  // A prepared transaction has no session that says since when it holds changes back.
  const until = async () => (await of("/members/changes?limit=1")).until;
  expect(await until()).toMatch(/^2.*Z$/);
  const one = await standby.sql.reserve();
  await one.unsafe("begin; select pg_current_xact_id(); prepare transaction 'open'").simple();
  one.release();
  await standby.sql`select pg_current_xact_id()`;
  expect(await until()).toBeNull();
  await standby.sql`rollback prepared 'open'`;
});
