// The changes of a list over HTTP, with the loop of docs/api.md (Keeping a copy), which keeps a copy up to date.
import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { beforeAll, expect, test, vi } from "vitest";
import { withDatabase } from "../../scripts/stack/database.ts";
import { root } from "../../scripts/stack/process.ts";
import { companyOfFile, companyOfTest } from "../support/companies.ts";
import { hold, isolationLevels, sqlAt } from "../support/rpc.ts";
import { allServed, call, endWriter, expectError, hashOf, list, sql, stack } from "../support/stack.ts";

const { company, key } = await companyOfFile("Copied");
beforeAll(async () => {
  await sql`insert into app.day_ratings (company_id, rating, comment) select ${company.id}, 3, 'day ' || n from generate_series(1, 5000) as n`;
  await allServed();
});

const stored = async () => (await sql`select from app.day_ratings where company_id = ${company.id}`).length;

type State = [copy: Record<string, unknown>, cursor: string];

/** Runs the loop of docs/api.md in Python, from a copy and a cursor to newer ones. */
async function update(...state: State): Promise<State> {
  const api = await readFile(`${root}/docs/api.md`, "utf8");
  const program = `import json, requests
${/```python\n(def update[\s\S]*?)```/.exec(api)?.[1]}
copy, cursor = json.loads(${JSON.stringify(JSON.stringify(state))})
print(json.dumps(update(copy, cursor, "${stack.api_url}/day-ratings/changes", "${key}")))`;
  return JSON.parse((await promisify(execFile)("python3", ["-c", program], { maxBuffer: 2 ** 26 })).stdout);
}

test.for(isolationLevels)("the loop of docs/api.md keeps a copy equal to the list, %s", async (level, context) => {
  context.skip(spawnSync("python3", ["-c", "import requests"]).status !== 0, "requests of Python is missing");
  const [begun, cursor] = await update({}, "start");
  expect(Object.keys(begun)).toHaveLength(await stored());
  const write = sqlAt(level);
  const changed =
    await write`update app.day_ratings set comment = 'corrected' where id in (select id from app.day_ratings where company_id = ${company.id} and comment <> 'corrected' limit 3) returning id`;
  const deleted =
    await write`delete from app.day_ratings where id in (select id from app.day_ratings where company_id = ${company.id} and comment <> 'corrected' limit 3) returning id`;
  const few = Object.fromEntries(deleted.map(({ id }) => [id, begun[id]]));
  await allServed();
  const [kept] = await update(few, cursor);
  expect(Object.keys(kept).sort()).toEqual(changed.map(({ id }) => id).sort());
});

// Proves: copies.4, copies.7
test.each(isolationLevels)("a deleted row has its id and cursor; one of another list is a 410, %s", async (level) => {
  const { company, key } = await companyOfTest("Deleted");
  await sql`insert into app.day_ratings (company_id, rating) values (${company.id}, 3)`;
  await allServed();
  const [{ id, cursor } = {}] = await list("/day-ratings/changes", key);
  await sqlAt(level)`delete from app.day_ratings where company_id = ${company.id}`;
  await allServed();
  const empty = { rating: null, comment: null, team_id: null, points_awarded: null, created_at: null, team_name: null };
  const row = { id, ...empty, cursor: expect.stringMatching(/^[0-9a-f]{72}$/), deleted: true };
  expect(await list(`/day-ratings/changes?after=${cursor}&include=team_name`, key)).toEqual([row]);
  const error = "Gone: this cursor is no longer known, begin again with after=start";
  await expectError(await call(`/members/changes?after=${cursor}`, key), 410, error);
});

const until = async () => (await call("/day-ratings/changes?limit=1", key)).headers.get("X-Changes-Until") ?? "";

// Proves: copies.18
test("X-Changes-Until is the start of the oldest transaction that has written, and now when it has ended; where it is unknown, with an old snapshot or without sight of others' sessions, it is absent", async () => {
  const open = await hold(sql, "insert into app.teams (company_id, name) values ($1, 'Late')", [company.id]);
  // What this commits is held back.
  await sql`select pg_current_xact_id()`;
  const [{ began } = { began: "" }] = await open.tx<{ began: string }[]>`select app.iso_8601(now()) as began`;
  // Older transactions of other tests end while this one stays open, that of the session that always writes by this.
  await endWriter();
  await vi.waitFor(async () => expect(await until()).toBe(began), { timeout: 60_000, interval: 50 });
  const changes = `select public.list_changes('${hashOf(key)}', 'teams', 1, 'start')`;
  const headers = "select current_setting('response.headers') as headers";
  for (const unseen of ["revoke pg_monitor from postgres", "set local track_activities = off"]) {
    const blind = await withDatabase(stack.superuser_url, (superuser) =>
      superuser
        .begin(async (tx) => {
          await tx.unsafe(unseen);
          await tx`select pg_current_xact_id()`;
          await tx.unsafe(changes);
          throw (await tx.unsafe(headers))[0];
        })
        .catch((said) => said.headers),
    );
    expect(blind, unseen).toContain("X-Has-More");
    expect(blind, unseen).not.toContain("X-Changes-Until");
  }
  await open.release();
  await allServed();
  const [{ now } = { now: "" }] = await sql<{ now: string }[]>`select app.iso_8601(now()) as now`;
  await endWriter();
  await vi.waitFor(async () => expect((await until()) > now).toBe(true), { timeout: 60_000, interval: 50 });
  for (const level of isolationLevels) {
    const [said] = await sql.begin(`isolation level ${level}`, async (tx) => {
      await tx.unsafe(changes);
      return tx.unsafe(headers);
    });
    expect(said?.headers.includes("X-Changes-Until"), level).toBe(level === "read committed");
  }
});
