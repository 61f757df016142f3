// Privileges, by trying: every role against every table, view, sequence and function of every schema. What each can do stands in
// privileges.txt, all of it, so that a new grant is a changed line there. After a change that is meant: run this
// file with -u, which writes it anew.
import { afterAll, beforeAll, expect, test } from "vitest";
import { sql } from "../api/stack.ts";
import { type Actor, answer, attempt, connectAll } from "./actors.ts";
import { type Relation, type Routine, relations, routines, schemaNames } from "./catalog.ts";
import { tried } from "./counts.ts";
import { newWorld, type World } from "./world.ts";

let world: World;
let actors: Actor[];
let attempts = 0;
beforeAll(async () => {
  world = await newWorld(3);
  await world.company.makeKey();
  actors = await connectAll(world);
});
afterAll(async () => {
  for (const { db } of actors) await db.end();
  await world.company.remove();
});

/** What refuses: no privilege, a view or a column of one that cannot be written through, a column that is always generated. */
const refusals = ["42501", "55000", "0A000", "428C9"];

/** Whether a statement is let through. It may fail for another reason: then it was let through. */
async function may(actor: Actor, statement: string): Promise<boolean> {
  attempts++;
  const error = await attempt(actor, statement);
  if (error?.code === "42601") throw new Error(`${statement}: ${error.message}`);
  return !refusals.includes(error?.code ?? "");
}

/** `all`, the names in brackets, or nothing. */
function some(verb: string, names: string[], allowed: boolean[]): string[] {
  const granted = names.filter((_, index) => allowed[index]);
  if (granted.length === 0) return [];
  return [granted.length === names.length ? verb : `${verb} (${granted.join(", ")})`];
}

/** Whose rows are seen: the own company's, everybody's, or none. */
async function rowsSeen(actor: Actor, { name, columns }: Relation): Promise<string> {
  const company = columns.some((column) => column.name === "company_id")
    ? "company_id"
    : name === "app.companies"
      ? "id"
      : "";
  if (company === "")
    return `${(await answer(actor, `select count(*) > 0 as answer from ${name}`)) === "true" ? "" : "no "}rows`;
  const own = `${company} = '${world.company.id}'`;
  const seen = await answer(actor, `select concat(bool_or(${own}), ' ', bool_or(not ${own})) as answer from ${name}`);
  return (
    { " ": "no rows", "t f": "own rows", "t t": "EVERY COMPANY'S ROWS" }[seen ?? ""] ?? "ROWS OF WHOM IS NOT TO BE SEEN"
  );
}

async function ofRelation(actor: Actor, relation: Relation): Promise<string> {
  const { name, kind, columns } = relation;
  const names = columns.map((column) => column.name);
  if (kind === "sequence") return (await may(actor, `perform nextval('${name}')`)) ? "nextval" : "-";
  const every = (statement: (column: string, type: string) => string) =>
    Promise.all(columns.map((column) => may(actor, statement(`"${column.name}"`, column.type))));
  const select = await every((column) => `perform ${column} from ${name} limit 0`);
  const done = [
    ...some("select", names, select),
    ...some(
      "insert",
      names,
      await every(
        (column, type) => `insert into ${name} (${column}) overriding system value select null::${type} where false`,
      ),
    ),
    ...some("update", names, await every((column) => `update ${name} set ${column} = default where false`)),
    ...((await may(actor, `delete from ${name} where false`)) ? ["delete"] : []),
    ...(kind === "table" && (await may(actor, `truncate ${name} cascade`)) ? ["truncate"] : []),
  ];
  if (done.length === 0) return "-";
  return done.join("; ") + (select.some(Boolean) ? `: ${await rowsSeen(actor, relation)}` : "");
}

/** Calls a function with nulls. They come out of a subquery: with constants the planner would answer for a strict one, unasked. */
async function mayCall(actor: Actor, { schema, name, types }: Routine): Promise<boolean> {
  attempts++;
  const parameters = types.map((type, index) => `null::${type} as a${index}`).join(", ") || "1 as a0";
  const passed = types.map((_, index) => `a${index}`).join(", ");
  const error = await attempt(
    actor,
    `perform "${schema}"."${name}"(${passed}) from (select ${parameters} offset 0) as args`,
  );
  const refusals = [`permission denied for function ${name}`, `permission denied for schema ${schema}`];
  return !(error?.code === "42501" && refusals.includes(error.message));
}

test("what each role can do with each schema, table, view, sequence and function is what privileges.txt says", async () => {
  const lines: string[] = ["# Who can do what, found out by trying (privileges.test.ts). - is nothing.", ""];
  const width = Math.max(...actors.map(({ name }) => name.length));
  const add = async (title: string, of: (actor: Actor) => Promise<string>): Promise<void> => {
    const each = await Promise.all(actors.map(async (actor) => [actor.name.padEnd(width), await of(actor)]));
    lines.push(title, ...each.filter(([, can]) => can !== "-").map(([name, can]) => `  ${name}  ${can}`));
    if (each.every(([, can]) => can === "-")) lines.push("  -");
  };

  lines.push("## Roles that each can become", "");
  const roles = await sql<{ name: string }[]>`select rolname as name from pg_roles where rolname !~ '^pg_' order by 1`;
  for (const { name, db } of actors) {
    const [own] = await db<{ role: string }[]>`select current_user as role`;
    const become: string[] = [];
    for (const role of roles)
      if (role.name !== own?.role && (await may({ name, db }, `set local role ${role.name}`))) become.push(role.name);
    lines.push(`  ${name.padEnd(width)}  ${become.join(", ") || "-"}`);
  }
  lines.push("", "## Schemas in which each can create", "");
  for (const schema of await schemaNames()) {
    await add(schema, async (actor) => ((await may(actor, `create table "${schema}".x ()`)) ? "create" : "-"));
  }
  lines.push("", "## Tables, views, sequences", "");
  for (const relation of await relations())
    await add(`${relation.kind} ${relation.name}`, (actor) => ofRelation(actor, relation));
  lines.push("", "## Functions that each can call (definer: with the rights of the owner)", "");
  for (const routine of await routines()) {
    const callers = await Promise.all(
      actors.map(async (actor) => ((await mayCall(actor, routine)) ? [actor.name] : [])),
    );
    const rights = routine.security === "definer" ? `, definer ${routine.owner}` : "";
    const all = callers.flat();
    lines.push(`${routine.signature}${rights}: ${all.length === actors.length ? "all" : all.join(" ") || "-"}`);
  }
  tried(`privileges: ${attempts} attempts of ${actors.length} actors`);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("privileges.txt");
}, 60_000);

test("a role that no key has been verified for sees no row, and one that has sees no other company's", async () => {
  for (const relation of await relations()) {
    if (relation.kind === "sequence" || !["app", "api"].includes(relation.schema)) continue;
    for (const actor of actors) {
      const id = relation.name === "app.companies" ? "id" : "company_id";
      const seen = await answer(
        actor,
        `select count(*) as answer from ${relation.name} where ${id} <> '${world.company.id}'`,
      );
      expect([relation.name, actor.name, seen ?? "0"]).toEqual([relation.name, actor.name, "0"]);
    }
  }
});
