// CSV in a spreadsheet of a country with a decimal comma, opened as docs/connect/README.md says.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { workFolder } from "../../support/command_line.ts";
import { newCompany } from "../../support/companies.ts";
import { call, first, importRewards, sql } from "../../support/stack.ts";
import { runRecipe } from "./recipe.ts";

const folder = workFolder();

/** The cells that a German LibreOffice reads from CSV files: their types and values. */
async function cellsOf(...files: string[]): Promise<string[][]> {
  mkdirSync(`${folder}/office/user`, { recursive: true });
  writeFileSync(
    `${folder}/office/user/registrymodifications.xcu`,
    `<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/L10N">
      <prop oor:name="ooSetupSystemLocale"><value>de-DE</value></prop></item></oor:items>`,
  );
  // Comma, quotes, UTF-8, from the first line, column 11 as text, English (USA), quoted cells too, special numbers.
  const opened = "--infilter=Text - txt - csv (StarCalc):44,34,76,1,11/2,1033,false,true";
  const options = [`-env:UserInstallation=file://${folder}/office`, opened, "--convert-to", "fods"];
  await runRecipe(folder, first.key, "soffice", [...options, ...files]);
  const cells =
    /<table:table-cell[^>]*? office:value-type="(\w+)"(?: office:[\w-]*value="(.*?)")?.*?>\s*<text:p>(.*?)</g;
  return files.map((file) => {
    const text = readFileSync(`${folder}/${file.replace(/csv$/, "fods")}`, "utf8");
    return [...text.matchAll(cells)].map(([, type, value, shown]) => `${type} ${value ?? shown}`);
  });
}

test("a German LibreOffice reads averages as numbers, days as dates, umlauts and IDs as text, and runs no formula", async (context) => {
  context.skip(spawnSync("soffice", ["--version"]).status !== 0, "LibreOffice Calc is missing");
  const company = await newCompany("Büro");
  const { api_key } = await company.makeKey();
  await sql`
    with team as (insert into app.teams (company_id, name) values (${company.id}, 'Küche') returning company_id, id)
    insert into app.day_ratings (company_id, team_id, rating, created_at)
    select *, unnest(array[1, 2, 2, 2]), '2026-11-03Z' from team`;
  await importRewards(api_key, { external_id: "00123", name: "=1+1", points_cost: 1000 });
  const csv = "format=csv&escape_formulas=true";
  const paths = [`/day-ratings/averages?by=day,team&since=2026-11-01&${csv}`, `/rewards?include=external_id&${csv}`];
  for (const [index, path] of paths.entries())
    writeFileSync(`${folder}/${index}.csv`, await (await call(path, api_key)).text());
  const [averages = [], rewards = []] = await cellsOf("0.csv", "1.csv");
  const numbers = ["date 2026-11-03", expect.any(String), "string Küche", "float 4", "float 1.75"];
  expect(averages.slice(5)).toEqual(numbers);
  expect(rewards).toEqual(expect.arrayContaining(["string &apos;=1+1", "float 1000", "string 00123"]));
  await company.remove();
});
