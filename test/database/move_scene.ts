// A move to be tried: two projects with companies in both, new ones for each test.
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
} from "./two_projects.ts";

export let source: Project;
export let target: Project;
/** The company that moves. */
export let company: Found;
/** Another one of the source, and one that the target has already. */
export let neighbour: Found;
export let other: Found;

beforeEach(async () => {
  ({ source, target, company, neighbour, other } = await newSides());
});
afterEach(() => Promise.all([source, target].map(({ sql }) => sql.end({ timeout: 5 }))));
afterAll(removeProjects);

export const move = (oldSide = "closed"): Run => moveCompany(source, target, company.id, "--leave", oldSide);

/** All of the company as it is now, by table. */
export const ofSource = () => contents(source.sql, company.id, "own");
export const ofTarget = () => contents(target.sql, company.id, "own");
export const others = async () => [
  await contents(source.sql, company.id, "others"),
  await contents(target.sql, company.id, "others"),
];

/** What arrives of it: everything but the accounts, which belong to the project. */
export const arriving = async (): Promise<Record<string, string[]>> => ({ ...(await ofSource()), member_accounts: [] });

export const isMoving = () => expect.poll(() => servingIn(source, company.id), { interval: 20 }).toBe("moving");

export async function expectMoved(run: Run): Promise<string> {
  const { code, output } = await run.ended;
  expect(code, output).toBe(0);
  return output;
}
