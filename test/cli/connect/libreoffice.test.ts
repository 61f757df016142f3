// CSV in a spreadsheet of a country with a decimal comma, opened as docs/connect/README.md says.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { environment, run, workFolder } from "../../support/command_line.ts";
import { companyOfTest } from "../../support/companies.ts";
import { call, importRewards, sql } from "../../support/stack.ts";
import { runRecipe } from "./recipe.ts";

const folder = workFolder();
const german = `<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N">
  <prop oor:name="ooSetupSystemLocale"><value>de-DE</value></prop></item></oor:items>`;
// Comma, quotes, UTF-8, from the first line, column 11 as text, English (USA), quoted cells too, special numbers.
const opened = "--infilter=Text - txt - csv (StarCalc):44,34,76,1,11/2,1033,false,true";
const cell = /<table:table-cell[^>]*? office:value-type="(\w+)"(?: office:[\w-]*value="(.*?)")?.*?>\s*<text:p>(.*?)</g;

/** Opens a CSV file in a German LibreOffice, and saves it. */
async function save(file: string, key: string, ...as: string[]) {
  mkdirSync(`${folder}/office/user`, { recursive: true });
  writeFileSync(`${folder}/office/user/registrymodifications.xcu`, german);
  const profile = `-env:UserInstallation=file://${folder}/office`;
  await runRecipe(folder, key, "soffice", [profile, opened, "--convert-to", ...as, file]);
}

const isMissing = spawnSync("soffice", ["--version"]).status !== 0;

test("a German LibreOffice reads averages, days, umlauts and IDs as what they are, and runs no formula", async (context) => {
  context.skip(isMissing, "LibreOffice Calc is missing");
  const { company, key } = await companyOfTest("Büro");
  await sql`
    with team as (insert into app.teams (company_id, name) values (${company.id}, 'Küche') returning company_id, id)
    insert into app.day_ratings (company_id, team_id, rating, created_at)
    select *, unnest(array[1, 2, 2, 2]), '2026-11-03Z' from team`;
  await importRewards(key, { external_id: "00123", name: "=1+1", points_cost: 1000 });
  const cells: string[] = [];
  for (const path of ["/day-ratings/averages?by=day,team&since=2026-11-01", "/rewards?include=external_id"]) {
    const csv = await call(`${path}&format=csv&escape_formulas=true`, key);
    writeFileSync(`${folder}/list.csv`, await csv.text());
    await save("list.csv", key, "fods");
    const read = readFileSync(`${folder}/list.fods`, "utf8").matchAll(cell);
    for (const [, type, value, shown] of read) cells.push(`${type} ${value ?? shown}`);
  }
  const averages = ["date 2026-11-03", "string Küche", "float 4", "float 1.75"];
  expect(cells).toEqual(expect.arrayContaining([...averages, "string &apos;=1+1", "float 1000", "string 00123"]));
});

test("an export that a German LibreOffice saved is imported: FALSCH, WAHR, and a decimal comma are read", async (context) => {
  context.skip(isMissing, "LibreOffice Calc is missing");
  const { key } = await companyOfTest("Büro", ["read:rewards", "write:rewards"]);
  await importRewards(key, [
    { external_id: "00123", name: "Käse", points_cost: 1000 },
    { external_id: "3-12", name: "Tee, grün", points_cost: 7, is_archived: true },
  ]);
  const inFolder = (...args: string[]) => run(args, folder, environment(key));
  await inFolder("export", "rewards", "--include_archived", "--out", "rewards.csv");
  writeFileSync(`${folder}/rewards.csv`, readFileSync(`${folder}/rewards.csv`, "utf8").replace(",1000,", ",250.5,"));
  await save("rewards.csv", key, "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false", "--outdir", "saved");
  expect(readFileSync(`${folder}/saved/rewards.csv`, "utf8")).toMatch(/"250,5".*FALSCH/);
  const { stdout, stderr } = await inFolder("import", "saved/rewards.csv", "--dry-run");
  const counts = "saved/rewards.csv: 2 rewards, nothing was written: 0 new, 1 changed, 1 unchanged";
  expect(stderr + stdout).toBe(`${counts}\nChanged:\n  "00123" points_cost: 1000 → 251\n`);
});
