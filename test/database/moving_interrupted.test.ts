// A company during its move to another project: others write at the same time, the command is interrupted at any moment,
// and the move is given up. Many writers over HTTP are in test/hardening/moving.test.ts.
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { runSql, withDatabase } from "../../scripts/stack/database.ts";
import { root } from "../../scripts/stack/process.ts";
import { hashOf } from "../support/stack.ts";
import { ask, importReward, moveCompany, newProject, servingIn } from "../support/two_projects.ts";
import {
  arriving,
  company,
  expectMoved,
  gone,
  hold,
  isMoving,
  kill,
  killBetweenCommits,
  move,
  newProjectsForEachTest,
  ofSource,
  ofTarget,
  other,
  others,
  source,
  target,
} from "./move_scene.ts";

newProjectsForEachTest();

describe("while others write", () => {
  test("an import that began before is waited for and carried; one that comes later is told to try again", async () => {
    const early = await source.sql.reserve();
    await early`begin`;
    await early`set local role service_role`;
    await early`select public.upsert_rewards(${hashOf(company.key)}, '[{"external_id":"early","name":"R","points_cost":1}]'::text)`;
    const run = move();
    await isMoving();
    await expect(importReward(source.sql, company.key, "late")).rejects.toMatchObject({ code: "PT429" });
    expect(await ask(source.sql, company.key), "reading goes on").toHaveLength(100);
    expect(await ofTarget(), "nothing is copied before").toMatchObject({ companies: [] });
    await early`commit`;
    early.release();
    await expectMoved(run);
    const moved =
      await target.sql`select external_id from app.rewards where external_id in ('early', 'late') and company_id = ${company.id}`;
    expect([...moved]).toEqual([{ external_id: "early" }]);
  });

  test("a key that is being made in the target is waited for, and requests there do not wait for the move", async () => {
    const maker = await target.sql.reserve();
    await maker`begin`;
    await maker`select set_config('request.jwt.claims', ${JSON.stringify({ sub: other.admin })}, true)`;
    await maker`select public.create_api_key('slow')`;
    const run = move();
    const waiting = () => target.sql`
      select from pg_locks
      where not granted and mode = 'ShareRowExclusiveLock'
        and database = (select oid from pg_database where datname = current_database())`;
    await expect.poll(async () => (await waiting()).length, { interval: 10 }).toBe(1);
    expect(await ask(target.sql, other.key)).toHaveLength(100);
    await maker`commit`;
    maker.release();
    await expectMoved(run);
    expect((await ofTarget()).api_keys).toEqual((await ofSource()).api_keys);
  });
});

describe("broken off", () => {
  // Proves: moving.8
  test.each([
    ["before the copy", () => hold(source, "select"), false],
    ["in the first table", () => hold(target, "lock table app.companies in share mode"), true],
    ["in the midst of it", () => hold(target, "lock table app.kudos in share mode"), true],
    ["while keys are locked", () => hold(target, "lock table app.api_key_uses in share mode"), true],
  ])(
    "by a kill %s: the target has nothing, the company reads where it was, and running it again moves it",
    async (_, holding, blocks) => {
      const [before, untouched] = [await arriving(), await others()];
      const held = await holding();
      const run = move();
      await isMoving();
      if (blocks) await held.reached();
      await kill(run);
      await held.release();
      await gone();
      expect(await ofTarget()).toMatchObject({
        companies: [],
        members: [],
        kudos: [],
        api_keys: [],
        api_key_events: [],
      });
      expect(await servingIn(source, company.id)).toBe("moving");
      expect(await ask(source.sql, company.key)).toHaveLength(100);

      const third = await newProject();
      const elsewhere = await moveCompany(source, third, company.id, "--leave", "closed").ended;
      await third.sql.end();
      expect(elsewhere).toEqual({
        code: 1,
        output: "The company is moving to another project than this target. Nothing was changed\n",
      });

      await expectMoved(move());
      expect(await ofTarget()).toEqual(before);
      expect(await others()).toEqual(untouched);
      await expect(ask(source.sql, company.key)).rejects.toMatchObject({ code: "PT401" });
    },
  );

  // Proves: moving.8, layer.19
  test("by a kill between the two commits: the company is served by the target, and running it again closes the source", async () => {
    const before = await arriving();
    await killBetweenCommits();
    expect([await servingIn(source, company.id), await servingIn(target, company.id)]).toEqual(["moving", "open"]);
    expect(await ofTarget()).toEqual(before);
    await importReward(target.sql, company.key, "meanwhile");
    await expect(importReward(source.sql, company.key, "lost")).rejects.toMatchObject({ code: "PT429" });

    expect(await expectMoved(move())).toContain("An earlier run had brought everything");
    expect([await servingIn(source, company.id), await servingIn(target, company.id)]).toEqual(["closed", "open"]);
    const found =
      await target.sql`select external_id from app.rewards where company_id = ${company.id} and external_id in ('meanwhile', 'lost')`;
    expect([...found]).toEqual([{ external_id: "meanwhile" }]);
  });

  test.each([
    ["target", () => target],
    ["source", () => source],
  ])(
    "by the %s, in the midst of the copy: the company goes on where it was, and can be moved again",
    async (_, side) => {
      const [before, untouched] = [await arriving(), await others()];
      const held = await hold(target, "lock table app.kudos in share mode");
      const run = move();
      await held.reached();
      await side().sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'move-company' and datname = current_database() and (backend_xmin is not null or wait_event_type = 'Lock' or query ~ '^copy')`;
      await held.release();
      const { code, output } = await run.ended;
      expect(code, output).toBe(1);
      await gone();
      expect(await servingIn(source, company.id), output).toBe("open");
      expect(await ofTarget()).toMatchObject({ companies: [], kudos: [] });
      await importReward(source.sql, company.key, "again");
      await expectMoved(move());
      expect((await ofTarget()).kudos).toEqual(before.kudos);
      expect(await others()).toEqual(untouched);
    },
  );

  // Proves: moving.5
  test("by rows that do not arrive as they were: nothing is there, the company goes on where it was", async () => {
    await target.sql
      .unsafe(`
      create function public.meddle() returns trigger language plpgsql as 'begin new.message := new.message || ''!''; return new; end';
      create trigger meddle before insert on app.kudos for each row execute function public.meddle();
      alter table app.kudos enable always trigger meddle`)
      .simple();
    const { code, output } = await move().ended;
    expect(code).toBe(1);
    expect(output).toMatch(/app\.kudos: 1000 rows with checksum -?\d+ became 1000 with -?\d+\./);
    expect(await servingIn(source, company.id)).toBe("open");
    expect(await ofTarget()).toMatchObject({ companies: [], kudos: [] });
    await importReward(source.sql, company.key, "after");
  });
});

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

describe("given up, with the statements of docs/moving-a-company.md", () => {
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
});
