// Giving up a move that was killed, with the statements of docs/moving-a-company.md.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { runSql, withDatabase } from "../../scripts/stack/database.ts";
import { root } from "../../scripts/stack/process.ts";
import { ask, importReward, servingIn } from "../support/two_projects.ts";
import {
  arriving,
  company,
  expectMoved,
  hold,
  kill,
  killBetweenCommits,
  move,
  newProjectsForEachTest,
  ofTarget,
  others,
  source,
  target,
} from "./move_scene.ts";

newProjectsForEachTest();

const page = await readFile(`${root}/docs/moving-a-company.md`, "utf8");
const [, section = ""] = page.split("To give up instead");
const statements = [...section.matchAll(/^```sql\n([^`]*)^```/gm)].map(([, text = ""]) => text);

/** Runs the statements of the page, one session on each side. Returns the result of the `delete` in the target. */
async function giveUp(): Promise<string> {
  const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const [atTarget = "", atSource = "", ...others] = statements.map((text) => text.replace(id, company.id));
  expect(others).toEqual([]);
  return withDatabase(target.url, async (operator) => {
    let said = "";
    for (const statement of atTarget.split(/(?<=;)\n/).filter(Boolean)) {
      const { command, count } = await operator.unsafe(statement);
      said = `${command} ${count}`;
    }
    if (said === "DELETE 1") {
      await runSql(source.url, atSource);
      await operator`commit`;
    }
    return said;
  });
}

// Proves: moving.9
test("in the midst of the copy: the company is open where it was, the target has nothing, and it can be moved again", async () => {
  const [before, untouched] = [await arriving(), await others()];
  const held = await hold(target, "lock table app.kudos in share mode");
  const run = move();
  await held.reached();
  await kill(run);
  await held.release();
  // Right after the kill: the statement waits until the transaction of the killed run has ended in the target.
  expect(await giveUp()).toBe("DELETE 1");
  expect(await servingIn(source, company.id)).toBe("open");
  expect(await ofTarget()).toMatchObject({ companies: [], members: [], kudos: [], api_keys: [] });
  expect(await target.sql`select from app.arriving_companies`).toHaveLength(0);
  await importReward(source.sql, company.key, "again");
  expect(await others()).toEqual(untouched);
  await expectMoved(move());
  expect((await ofTarget()).kudos).toEqual(before.kudos);
});

// Proves: moving.9
test("when it has arrived there is nothing to give up: running the command closes the source", async () => {
  await killBetweenCommits();
  expect(await giveUp()).toBe("DELETE 0");
  expect([await servingIn(source, company.id), await servingIn(target, company.id)]).toEqual(["moving", "open"]);
  expect(await expectMoved(move())).toContain("An earlier run had brought everything");
  await expect(ask(source.sql, company.key)).rejects.toMatchObject({ code: "PT401" });
});
