// sql/load.sql with psql (docs/operations.md, How data gets in): its output, any lines in the files, and what waits
// for what.
import { randomUUID } from "node:crypto";
import { globSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { beforeEach, expect, test } from "vitest";
import { createDatabase, withDatabase } from "../../scripts/stack/database.ts";
import { root } from "../../scripts/stack/process.ts";
import { sql, stack } from "../support/stack.ts";
import {
  type Cells,
  csv,
  good,
  headers,
  ids,
  inserted,
  load,
  newLoading,
  psql,
  runLoad,
  untouched,
} from "./loading.ts";

const { company, other, empty } = await newLoading();
beforeEach(empty);

const texts = (files: Record<string, Cells[]>) =>
  Object.fromEntries(Object.entries(files).map(([file, rows]) => [file, csv(file, rows)]));

test.each(["\n", "\r\n"])("a line \\. in a cell is text like any other, lines ending in %j", async (end) => {
  const lines = ["\\.", "one", "\\.", "\\..", '\\."', '\\.""two', "\\.", ""].join(end);
  const files = good();
  Object.assign(files.kudos?.[0] as Cells, { message: lines });
  Object.assign(files.day_ratings?.[0] as Cells, { comment: lines });
  Object.assign(files.pulse_questions?.[0] as Cells, { question: lines });
  Object.assign(files.pulse_responses?.[0] as Cells, {
    comment: lines,
    value: `[1,${end}2\n\\.\n]`.replace("\\.", ""),
  });
  expect(await load(company.id, files)).toEqual(inserted);
  const [found] = await sql`
    select k.message, d.comment, q.question, r.comment as answer
    from app.kudos as k, app.day_ratings as d, app.pulse_questions as q, app.pulse_responses as r
    where k.id = ${ids.kudos} and d.id = ${ids.rating} and q.id = ${ids.question} and r.id = ${ids.answer}`;
  expect(found).toEqual({ message: lines, comment: lines, question: lines, answer: lines });
});

test("a file that ends in the middle of a cell, or is not there, stops the load", async () => {
  const { kudos = [], ...files } = texts(good());
  const cut = await runLoad(company.id, { ...files, kudos: `${headers.kudos}\n${ids.kudos},"` });
  expect(cut.code).toBe(3);
  expect(cut.stderr).toContain("unterminated CSV quoted field");
  const folder = await mkdtemp(`${tmpdir()}/loading-`);
  const missing = await psql(["--set", `company_id=${company.id}`, "--file", `${root}/sql/load.sql`], folder);
  await rm(folder, { recursive: true });
  expect(missing.code).toBe(3);
  expect(missing.stderr).toContain("teams.csv");
  expect(await sql`select from app.teams where company_id = ${company.id}`).toHaveLength(0);
  expect(kudos).not.toBe("");
});

test.each(Object.keys(headers))("%s.csv with other columns is refused by its header", async (file) => {
  const [first, second, ...rest] = headers[file] ?? [];
  const { code, stderr } = await runLoad(company.id, { [file]: `${[second, first, ...rest].join()}\n` });
  expect(code).toBe(3);
  expect(stderr).toContain(`column name mismatch in header line field 1: got "${second}", expected "${first}"`);
});

test("without company_id psql says what is missing, and touches nothing", async () => {
  const { code, stdout, stderr } = await psql(["--file", `${root}/sql/load.sql`], tmpdir());
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toContain("company_id is missing: psql … --set company_id=<the id of the company>");
});

/** How many pages of the indexes of the teams all statements have read so far. */
async function pagesRead(): Promise<number> {
  const [row] = await sql<{ pages: number }[]>`
    select sum(idx_blks_hit + idx_blks_read)::float8 as pages from pg_statio_user_indexes where relname = 'teams'`;
  return row?.pages ?? 0;
}

test("progress is told while it goes on, 50,000 rows at a time, and no row is compared with all others", async () => {
  const before = await pagesRead();
  const teams = Array.from({ length: 50_001 }, (_, index) => ({ id: randomUUID(), name: `Team ${index}` }));
  const { code, stdout, stderr } = await runLoad(company.id, texts({ teams }));
  expect({ code, first: stdout.split("\n")[0] }).toEqual({ code: 0, first: "teams,50001,0,0,0" });
  expect(stderr.match(/(?<=NOTICE: {2}).*/g)).toEqual([
    "checking the files",
    "teams: 50000 of 50001 rows written",
    "teams: 50001 of 50001 rows written",
  ]);
  // The numbers come when psql's session has ended.
  const pages = expect.poll(async () => (await pagesRead()) - before);
  await pages.toBeGreaterThanOrEqual(50_001);
  await pages.toBeLessThan(40 * 50_001);
});

test("loads at the same time wait for each other", async () => {
  const counts = await Promise.all([company, company, other].map(({ id }) => load(id, good())));
  expect(counts).toContainEqual(untouched);
  expect(counts.filter((count) => count.teams?.[0] === "2")).toHaveLength(2);
});

test("a load waits for whoever is still filling staging, and checks what came", async () => {
  await withDatabase(stack.database_url, (filling) =>
    withDatabase(stack.database_url, async (loading) => {
      const [{ pid } = { pid: 0 }] = await loading`select pg_backend_pid() as pid`;
      let answer: Promise<string> = Promise.resolve("");
      await filling.begin(async (tx) => {
        await tx`insert into staging.teams (id, name) values ('1', 'Sales')`;
        answer = loading`select from app.load_staging(${company.id})`.then(
          () => "loaded",
          (error: Error) => error.message,
        );
        await expect
          .poll(async () => (await sql`select from pg_locks where pid = ${pid} and not granted`).length)
          .toBeGreaterThan(0);
      });
      expect(await answer).toBe("teams line 2: id must be a uuid");
      await filling`delete from staging.teams`;
    }),
  );
});

test("a big first load reads no table again and again, also after one that was broken off", async () => {
  const fill = `
    insert into staging.members (id, name, email, role, created_at)
    select md5('member' || i)::uuid, 'Member ' || i, i || '@files.example', 'employee', '2026-01-01T00:00:00Z'
    from generate_series(1, 10000) as i;
    insert into staging.categories (id, language, name) values ('${ids.teamwork}', 'en', 'Teamwork');
    insert into staging.kudos (id, sender_id, receiver_id, category_id, message, created_at)
    select md5('kudos' || i)::uuid, md5('member' || 1 + i % 10000)::uuid, md5('member' || 1 + i * 7 % 10000)::uuid,
      '${ids.teamwork}', 'Thanks for number ' || i, '2026-01-01T00:00:00Z'
    from generate_series(1, 20000) as i`;
  const name = `loading_${randomUUID()}`;
  const fresh = await createDatabase(stack, name, globSync(`${root}/supabase/migrations/*.sql`).sort());
  try {
    await withDatabase(fresh, async (connection) => {
      await connection`insert into app.companies (id, name) values (${company.id}, 'First')`;
      const loading = `select * from app.load_staging('${company.id}')`;
      // Autovacuum analyzes the tables soon after a load that was broken off. The planner then believes that all tables
      // are empty.
      await connection.unsafe(`begin; ${fill}; ${loading}; rollback; analyze`).simple();

      await connection.unsafe(`begin; ${fill}`).simple();
      const loaded = await connection.unsafe(loading);
      expect(loaded.find(({ file }) => file === "kudos")?.inserted).toBe("20000");
      const [read] = await connection`
        select sum(seq_tup_read)::int as rows from pg_stat_xact_user_tables where schemaname in ('app', 'staging')`;
      await connection`commit`;
      // Each of the 30,001 rows is read a few times, to check it and to write it. A bad plan reads hundreds of
      // millions.
      expect(read?.rows).toBeLessThan(20 * 30_001);
    });
  } finally {
    await sql`drop database ${sql(name)}`;
  }
}, 120_000);
