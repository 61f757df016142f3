// Copies that are kept by nothing but their changes (docs/api.md, Keeping a copy), of two companies, while writers
// change everything at random, transactions elsewhere stay open, and readers are killed and begin again. In the end
// each copy is equal to an export. The functions are called on connections of their own, so that all of it happens at
// the same time; the command `sync` keeps copies beside them.
import { randomInt, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type postgres from "postgres";
import { expect, test } from "vitest";
import { exportCommand } from "../../cli/src/commands/export.ts";
import { syncCommand } from "../../cli/src/commands/sync.ts";
import { nameOf } from "../../cli/src/lists.ts";
import { lists } from "../../functions/public-api/table/endpoints.ts";
import { runHere } from "../cli/faulty_proxy.ts";
import { workFolder } from "../support/command_line.ts";
import { Copy, exported } from "../support/copy.ts";
import { count, tried } from "../support/counts.ts";
import { connectAt, isolationLevels, serviceRole } from "../support/rpc.ts";
import { allServed, hashOf, sql, stack } from "../support/stack.ts";
import { worldOfFile } from "../support/world.ts";

const changes = count(150, 3_500);

const folder = workFolder();

const worlds = await Promise.all([40, 40].map((size) => worldOfFile(size)));
const owned = worlds.map(({ world, key }) => ({ ...world, key, hash: hashOf(key) }));
type Owned = (typeof owned)[number];

const pick = <T>(all: readonly T[]): T => all[randomInt(all.length)] as T;
const one = (table: string) => `(select id from app.${table} where company_id = $1 order by random() limit 1)`;
const person = "(select id from app.members where company_id = $1 and not is_former order by random() limit 1)";
const some = (table: string) =>
  `company_id = $1 and id in (select id from app.${table} where company_id = $1 order by random() limit ${randomInt(1, 8)})`;
const deletions = ["kudos", "rewards", "day_ratings", "pulse_responses", "categories"];
const staged = "teams members categories kudos day_ratings pulse_questions pulse_responses".split(" ");
const emptied = `truncate ${staged.map((table) => `staging.${table}`).join(", ")}`;

/** What may happen to a company, $1, as SQL; $2 is a text of this company. Some of it fails, and is rolled back. */
const happenings: (() => string | string[])[] = [
  () => `insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select $1, ${person}, ${person}, ${one("categories")}, $2, now() - random() * interval '400 days' from generate_series(1, ${randomInt(1, 30)})`,
  () =>
    `insert into app.day_ratings (company_id, rating, comment, team_id) select $1, 1 + random() * 4, $2, ${one("teams")} from generate_series(1, ${randomInt(1, 9)})`,
  () =>
    `insert into app.pulse_responses (company_id, question_id, value, comment) values ($1, ${one("pulse_questions")}, '1.0', $2)`,
  () =>
    `insert into app.members (company_id, name, email, team_id) values ($1, $2, gen_random_uuid() || '@${randomUUID()}.example', ${one("teams")})`,
  () => [
    "insert into app.teams (company_id, name) values ($1, $2)",
    `update app.members set team_id = ${one("teams")} where ${some("members")} and not is_former`,
  ],
  () => `with made as (insert into app.categories (company_id) values ($1) returning id)
    insert into app.category_names (company_id, category_id, language, name) select $1, id, 'en', $2 from made`,
  // A number of another server is replaced.
  () => "insert into app.rewards (company_id, name, points_cost, changed_in) values ($1, $2, 1, '5')",
  () => `update app.kudos set message = $2 where ${some("kudos")}`,
  () =>
    `update app.pulse_responses set value = case when value::text = '1' then '1.0' else '1'::jsonb end, comment = comment where ${some("pulse_responses")}`,
  () => `update app.members set name = $2 where ${some("members")} and not is_former`,
  () => `update app.teams set name = $2 where ${some("teams")}`,
  () => `update app.rewards set is_archived = not is_archived, stock_count = 3 where ${some("rewards")}`,
  () => [
    `update app.day_ratings set rating = rating where ${some("day_ratings")}`,
    `update app.day_ratings set comment = $2 where ${some("day_ratings")}`,
  ],
  () => `update app.pulse_questions set question = $2 where ${some("pulse_questions")}`,
  () => `insert into app.category_names (company_id, category_id, language, name) values ($1, ${one("categories")}, '${pick(["en", "de", "fr"])}', $2)
    on conflict (company_id, category_id, language) do update set name = excluded.name`,
  () => `delete from app.category_names where company_id = $1 and language = 'de'`,
  () => `update app.companies set default_language = '${pick(["en", "de", "fr"])}' where id = $1`,
  () => deletions.map((table) => `delete from app.${table} where ${some(table)}`).filter(() => randomInt(2) === 0),
  // Gone, and there again.
  () => {
    const back = `back_${randomInt(1e12)}`;
    return [
      `create temporary table ${back} on commit drop as select * from app.day_ratings where ${some("day_ratings")}`,
      `delete from app.day_ratings as d using ${back} as b where d.company_id = b.company_id and d.id = b.id`,
      `insert into app.day_ratings select * from ${back}`,
    ];
  },
  () => `select app.erase_member($1, ${person}, ${pick(["true", "false"])})`,
  () => [
    emptied,
    `insert into staging.kudos (id, sender_id, receiver_id, category_id, message, created_at)
    select case when random() < 0.5 then id else gen_random_uuid() end, sender_id, receiver_id, category_id, case when random() < 0.5 then message || '.' else $2 end, '2026-01-01T00:00Z'
    from app.kudos as k where ${some("kudos")} and message <> '' and not exists (select from app.members as m where m.company_id = $1 and m.is_former and m.id in (k.sender_id, k.receiver_id))`,
    "select * from app.load_staging($1)",
  ],
];

/** The errors that may occur: deadlocks, snapshots, rows that others refer to, names that are taken, nobody left to erase. */
const isExpected = ({ code = "", message }: { code?: string; message: string }): boolean =>
  message === "rolled back" || ["40P01", "40001", "25000", "23503", "23505", "22023", "23502", "PT429"].includes(code);

/** One to three things in a transaction with pauses, of which one in seven is rolled back. */
async function several(tx: postgres.TransactionSql, company: string, text: string): Promise<void> {
  const things = Array.from({ length: randomInt(1, 4) }, () => [pick(happenings)()].flat());
  // What locks staging comes first, as with operators: behind other writes it deadlocks with commands of other tests too.
  const locksStaging = (statements: string[]) => Number(/staging|erase_member/.test(statements.join()));
  for (const statements of things.sort((one, other) => locksStaging(other) - locksStaging(one))) {
    for (const statement of statements)
      await tx.unsafe(statement.replaceAll("$1", `'${company}'`).replaceAll("$2", `'${text}'`));
    if (randomInt(5) === 0) await pause(randomInt(30));
  }
  if (randomInt(7) === 0) throw new Error("rolled back");
}

/** Lets something happen. Returns whether it was committed. */
async function happen(db: postgres.Sql, { company, hash, canary }: Owned): Promise<boolean> {
  const text = `${canary} ${randomUUID()}`;
  const dice = randomInt(100);
  const skus = new Set(Array.from({ length: 9 }, () => `sku-${randomInt(30)}`));
  const rewards = [...skus].map((external_id) => ({ external_id, name: text, points_cost: 1 }));
  try {
    if (dice < 2)
      await db.unsafe(`call app.purge_before('${company.id}', now() - interval '${randomInt(100, 500)} days')`);
    else if (dice < 15) await db`select public.upsert_rewards(${hash}, ${JSON.stringify(rewards)})`;
    else await db.begin((tx) => several(tx, company.id, text));
    return true;
  } catch (error) {
    if (isExpected(error as Error)) return false;
    throw error;
  }
}

/** Brings the copy of `sync` up to date, with CSV files. While many read at the same time, it may be told to come again. */
const sync = ({ key, canary }: Owned): Promise<unknown> =>
  runHere(syncCommand, ["--to", `${folder}/copy ${canary}`], stack.api_url, key).catch((error) => {
    expect(String(error)).toMatch("Too Many Requests");
  });

// Proves: copies.1, copies.2, copies.3, copies.9
test.each(isolationLevels)(
  "copies are equal to an export after random changes, whatever happens meanwhile, %s",
  async (level) => {
    let going = true;
    let committed = 0;
    let kills = 0;
    const writers = Array.from({ length: 4 }, async () => {
      const db = connectAt(level);
      while (committed < changes) if (await happen(db, pick(owned))) committed++;
      await db.end();
    });
    const others = (async () => {
      const db = connectAt(level);
      while (going)
        await db.begin(async (tx) => {
          await tx`select pg_current_xact_id()`;
          await pause(randomInt(20, 400));
        });
      await db.end();
    })();
    const copies = owned.flatMap((own) => [1, 2].map(() => ({ ...own, copy: new Copy() })));
    const readers = copies.map(async ({ hash, copy, canary }) => {
      const other = owned.find((one) => one.canary !== canary)?.canary ?? "";
      let db = await serviceRole();
      while (going) {
        const list = pick(lists);
        const end = pick(["whole", "whole", "whole", "forgets its cursor", "is killed"]);
        if (end === "is killed") {
          kills++;
          const page = copy.read(db, hash, list, randomInt(1, 60)).catch(() => {});
          await Promise.all([page, db.end({ timeout: 0 })]);
          db = await serviceRole();
        } else expect(await copy.read(db, hash, list, randomInt(1, 60), end === "whole")).not.toContain(other);
      }
      await db.end();
    });
    const syncs = owned.map(async (own) => {
      while (going) await sync(own);
    });
    await Promise.all(writers).finally(() => {
      going = false;
    });
    await Promise.all([others, ...readers, ...syncs]);

    await allServed();
    const misnamed = sql`select from app.categories where name <> app.category_name(company_id, id)`;
    expect(await misnamed).toHaveLength(0);
    const db = await serviceRole();
    for (const { hash, copy } of copies) {
      for (const list of lists) while (await copy.read(db, hash, list, 1000));
      expect(copy.lists()).toEqual(await exported(db, hash, lists));
    }
    await db.end();
    for (const own of owned) {
      await sync(own);
      const args = ["all", "--include_archived", "--out", `${folder}/whole ${own.canary}`];
      await runHere(exportCommand, args, stack.api_url, own.key);
      const read = (place: string) =>
        lists.map((list) => readFileSync(`${folder}/${place} ${own.canary}/${nameOf(list)}.csv`, "utf8"));
      expect(read("copy")).toEqual(read("whole"));
    }
    const rows = copies.map(({ copy }) => copy.size);
    tried(`copies, ${level}: ${committed} changes, ${copies.length} copies of ${rows} rows, ${kills} readers killed`);
  },
);
