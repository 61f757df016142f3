// The companies and databases of a test that moves a company: two projects with companies in both, new for each test.
import { afterAll, afterEach, beforeEach, expect } from "vitest";
import {
  contents,
  type Found,
  moveCompany,
  newSides,
  type Project,
  type Run,
  removeProjects,
  servingIn,
} from "../support/two_projects.ts";

export let source: Project;
export let target: Project;
/** The company that moves. */
export let company: Found;
/** `neighbour` is another company of the source, `other` is a company that the target already has. */
export let neighbour: Found;
export let other: Found;

/** Gives each test of the calling file two projects of its own. */
export function newProjectsForEachTest(): void {
  beforeEach(async () => {
    ({ source, target, company, neighbour, other } = await newSides());
  });
  afterEach(() => Promise.all([source, target].map(({ sql }) => sql.end({ timeout: 5 }))));
  afterAll(removeProjects);
}

export const move = (oldSide = "closed"): Run => moveCompany(source, target, company.id, "--leave", oldSide);

/** All rows of the company in the source, by table. */
export const ofSource = () => contents(source.sql, company.id, "own");
export const ofTarget = () => contents(target.sql, company.id, "own");
export const others = async () => [
  await contents(source.sql, company.id, "others"),
  await contents(target.sql, company.id, "others"),
];

/** The rows that must arrive in the target: all but the accounts, which belong to the project. */
export const arriving = async (): Promise<Record<string, string[]>> => ({ ...(await ofSource()), member_accounts: [] });

export const isMoving = () => expect.poll(() => servingIn(source, company.id), { interval: 20 }).toBe("moving");

export async function expectMoved(run: Run): Promise<string> {
  const { code, output } = await run.ended;
  expect(code, output).toBe(0);
  return output;
}

/** Makes the command wait at the table or row that this statement locks, until `release`. */
export async function hold(
  { sql }: Project,
  statement: string,
): Promise<{ reached(): Promise<void>; endWaiting(): Promise<void>; release(): Promise<void> }> {
  const connection = await sql.reserve();
  await connection`begin`;
  await connection.unsafe(statement);
  const [me] = await connection`select pg_backend_pid() as pid`;
  return {
    reached: () =>
      expect
        .poll(
          async () => (await sql`select from pg_stat_activity where ${me?.pid} = any (pg_blocking_pids(pid))`).length,
          { interval: 10 },
        )
        .toBeGreaterThan(0),
    async endWaiting() {
      await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where ${me?.pid} = any (pg_blocking_pids(pid))`;
    },
    async release() {
      await connection`rollback`;
      connection.release();
    },
  };
}

/** Kills the command, as when its machine is switched off. */
export async function kill({ process, ended }: Run): Promise<void> {
  process.kill("SIGKILL");
  await ended;
}
/** Waits until neither database has an open session of the command. */
export const gone = () =>
  expect
    .poll(
      async () =>
        (
          await source.sql`select from pg_stat_activity where application_name = 'move-company' and datname in (select current_database() union select ${new URL(target.url).pathname.slice(1)})`
        ).length,
      { interval: 20 },
    )
    .toBe(0);

/** Kills a run when the target has committed everything and the source has not yet. */
export async function killBetweenCommits(): Promise<void> {
  const table = await hold(target, "lock table app.kudos in share mode");
  const run = move();
  await table.reached();
  const row = await hold(source, `select from app.companies where id = '${company.id}' for update`);
  await table.release();
  await row.reached();
  await kill(run);
  // Ends the statement that the command had already sent, as if its machine had been switched off before.
  await row.endWaiting();
  await row.release();
  await gone();
}
