// Outages of a real PostgreSQL under a stack of its own: what its locks, its settings and kill -9 do to requests, and
// kill -9 of the function during imports. What PostgREST answers in an outage is not to be seen here, because its
// stand-in has other errors; these answers are recorded in test/function/database.test.ts.
import { randomInt, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { newCompany } from "../support/companies.ts";
import { count, tried } from "../support/counts.ts";
import { startFunction } from "../support/function_process.ts";
import { type OwnStack, startOwnStack } from "../support/own_stack.ts";
import { hashOf, importRewards, sql as shared } from "../support/stack.ts";

let stack: OwnStack;
let key: string;
beforeAll(async () => {
  stack = await startOwnStack("durable");
  key = stack.companies[0]?.api_key ?? "";
});
afterAll(() => stack.stop());

const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${stack.api_url}${path}`, { ...init, headers: { "X-API-Key": key } });
const post = (rows: object[]): Promise<Response> => send("/rewards", { method: "POST", body: JSON.stringify(rows) });
const reward = () => ({ external_id: randomUUID(), name: "In an outage", points_cost: 1 });

/**
 * Expects that every one of these requests is answered during the outage, with a 500 without details. Of one key, at
 * most four requests run at once.
 */
async function expectOutage(sent: Promise<Response>[]): Promise<void> {
  const answers = await Promise.all(sent);
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  const log = (await stack.functionLog()).split("\n");
  for (const [index, { status, headers }] of answers.entries()) {
    expect([status, bodies[index]]).toEqual([500, '{"error":"Internal Server Error"}']);
    const id = headers.get("X-Request-Id") ?? "none";
    const line = JSON.parse(log.find((text) => text.includes(id)) ?? "{}");
    expect(line).toMatchObject({ request_id: id, status: 500, error: expect.stringMatching(/^\w+ (answered|gave) /) });
    expect(JSON.stringify([...headers]) + JSON.stringify(line)).not.toMatch(
      /postgres:|127\.0\.0\.1|select|sb_secret_|ECONN/,
    );
  }
}

/**
 * Waits for the end of the outage by asking the Data API directly. After that, the first request to the function must
 * succeed on every path.
 */
async function expectRecovered(): Promise<void> {
  const headers = { apikey: stack.secret_key, "Content-Type": "application/json" };
  const body = JSON.stringify({ key_hash: "0".repeat(64) });
  const dataApi = () => fetch(`${stack.supabase_url}/rest/v1/rpc/verify_api_key`, { method: "POST", headers, body });
  await expect.poll(async () => (await dataApi()).status, { interval: 20 }).toBe(401);
  for (const path of everything) expect([path, (await send(path)).status]).toEqual([path, 200]);
  expect((await post([reward()])).status).toBe(200);
}

const everything = ["/", "/members", "/activity?format=csv", "/rewards", "/day-ratings?limit=5", "/pulse-responses"];

// Proves: layer.2
test("while the database is down every request is a 500 in time, and the first one after it succeeds", async () => {
  await expectRecovered();
  await stack.killDatabase();
  await expectOutage([...everything.map((path) => send(path)), post([reward()])]);
  await stack.startDatabase();
  await expectRecovered();
});

// Proves: risk.4
test("a statement that hangs behind a lock is a 500 in time, hangs nothing else, and the next one succeeds", async () => {
  const sql = stack.connect();
  await sql.begin(async (holder) => {
    await holder`lock table app.members in access exclusive mode`;
    const others = ["/rewards", "/day-ratings"].map((path) => send(path));
    await Promise.all([
      expectOutage(["/members", "/members?format=csv", "/users"].map((path) => send(path))),
      ...others.map(async (answer) => expect((await answer).status).toBe(200)),
    ]);
  });
  await sql.end();
  await expectRecovered();
});

// Proves: keys.34
test("while the database is read-only every list is answered in a transaction as the Data API begins it", async () => {
  const sql = stack.connect();
  // Otherwise the last use of the key would already be recorded, and the requests would have nothing to write.
  await sql`update app.api_key_uses set last_used_at = null`;
  const readOnly = async (setting: "on" | "off"): Promise<void> => {
    await sql.unsafe(`alter system set default_transaction_read_only = ${setting}`);
    await sql`select pg_reload_conf()`;
    await expect
      .poll(async () => (await sql`show default_transaction_read_only`)[0]?.default_transaction_read_only)
      .toBe(setting);
  };
  const lists = endpoints.flatMap(({ kind, rpc }) => (kind === "list" ? [rpc] : []));
  await readOnly("on");
  for (const name of lists) {
    // PostgREST begins every POST so. The local Data API does not, so it is not asked here.
    const page = sql.begin("read write", (tx) => tx.unsafe(`select public.${name}($1, 5)`, [hashOf(key)]));
    expect([name, await page]).toEqual([name, [{ [name]: expect.any(Array) }]]);
  }
  await readOnly("off");
  expect(await sql`select from app.api_key_uses where last_used_at is not null`).toHaveLength(0);
  await sql.end();
  await expectRecovered();
});

/** What imports rewards and can be killed, and how many rewards of a name are there after it. */
type Killable = {
  /** Returns the status, or null without an answer. */
  send: (rewards: object[]) => Promise<number | null>;
  kill: () => Promise<void>;
  /** Resolves when the import may be sent again, and nothing of before is still running. */
  recover: () => Promise<void>;
  again: (rewards: object[]) => Promise<number | null>;
  stored: (name: string) => Promise<number>;
};

/** The number of rewards of an import. */
const rows = 200;
const batch = (name: string) =>
  Array.from({ length: rows }, (_, index) => ({ external_id: `${name}-${index}`, name, points_cost: index }));

/** Lets four writers import until the kill, which comes after a few imports. */
async function importUntilKilled({ send, kill }: Killable): Promise<{ id: string; acknowledged: boolean }[]> {
  const all: { id: string; acknowledged: boolean }[] = [];
  let alive = true;
  const writer = async (): Promise<void> => {
    while (alive) {
      const sent = { id: randomUUID(), acknowledged: false };
      all.push(sent);
      sent.acknowledged = (await send(batch(sent.id))) === 200;
    }
  };
  const writing = Promise.all([writer(), writer(), writer(), writer()]);
  await expect.poll(() => all.length, { interval: 1 }).toBeGreaterThan(randomInt(4, 20));
  await kill();
  alive = false;
  await writing;
  return all;
}

/** Expects that an import is there whole or not at all, and if it was acknowledged, whole; and that again is safe. */
async function expectWhole({ stored, again }: Killable, { id, acknowledged }: { id: string; acknowledged: boolean }) {
  const found = await stored(id);
  expect(acknowledged ? [rows] : [0, rows]).toContain(found);
  if (acknowledged) return "acknowledged";
  // As a caller does after a 500.
  await expect.poll(() => again(batch(id))).toBe(200);
  expect(await stored(id)).toBe(rows);
  return found === 0 ? "absent" : "whole";
}

async function expectWholeImports(what: string, rounds: number, start: () => Promise<Killable>): Promise<void> {
  const tally = { acknowledged: 0, whole: 0, absent: 0 };
  for (let round = 0; round < rounds; round++) {
    const killable = await start();
    const all = await importUntilKilled(killable);
    await killable.recover();
    for (const sent of all) tally[await expectWhole(killable, sent)]++;
  }
  const { acknowledged, whole, absent } = tally;
  expect(acknowledged).toBeGreaterThan(0);
  expect(whole + absent).toBeGreaterThan(0);
  tried(
    `${what}, ${rounds} times: ${acknowledged} acknowledged and there, ${whole} whole, ${absent} absent of the others`,
  );
}

// Proves: layer.11
test("kill -9 of PostgreSQL during imports: each is there whole or not at all, what was acknowledged is there, again is safe", async () => {
  const sql = stack.connect();
  const send = async (rewards: object[]) => (await post(rewards).catch(() => null))?.status ?? null;
  await expectWholeImports("kill -9 of PostgreSQL during imports", count(2, 20), async () => ({
    ...{ send, again: send, kill: () => stack.killDatabase(), recover: () => stack.startDatabase() },
    stored: async (name) => (await sql`select from app.rewards where name = ${name}`).length,
  }));
  await sql.end();
}, 900_000);

// Proves: layer.11
test("kill -9 of the function during imports: each is there whole or not at all, what was acknowledged is there, again is safe", async () => {
  const company = await newCompany("Kills");
  const { api_key } = await company.makeKey();
  const stored = async (name: string) =>
    (await shared`select from app.rewards where company_id = ${company.id} and name = ${name}`).length;
  // After that nothing changes.
  const isIdle = async () =>
    (
      await shared`select from pg_stat_activity where state <> 'idle' and query ~ 'upsert_rewards' and pid <> pg_backend_pid()`
    ).length;
  await expectWholeImports("kill -9 of the function during imports", count(4, 50), async () => {
    const running = await startFunction();
    return {
      ...{ stored, kill: running.kill, recover: () => expect.poll(isIdle, { interval: 5 }).toBe(0) },
      again: async (rewards) => (await importRewards(api_key, rewards)).status,
      async send(rewards) {
        const init = { method: "POST", headers: { "X-API-Key": api_key }, body: JSON.stringify(rewards) };
        const response = await fetch(`${running.url}/rewards`, init).catch(() => null);
        if (response) expect(response.status).toBe(200);
        await response?.body?.cancel().catch(() => {});
        return response?.status ?? null;
      },
    };
  });
  await company.remove();
}, 900_000);
