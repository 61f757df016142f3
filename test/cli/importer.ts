// Imports into a company of the test file's own, through the proxy, and its catalogue.
import { writeFileSync } from "node:fs";
import { beforeEach } from "vitest";
import { importCommand } from "../../cli/src/commands/import.ts";
import { companyOfFile } from "../support/companies.ts";
import { type Row, sql } from "../support/stack.ts";
import { folderAndProxy, runHere } from "./faulty_proxy.ts";

export const many = Array.from({ length: 1234 }, (_, n) => ({
  external_id: `sku-${n}`,
  name: `No. ${n}, "quoted"`,
  description: n % 3 === 0 ? `two\nlines ${"é".repeat(n % 50)}` : null,
  points_cost: n,
  reward_type: "perk",
}));

/** IDs that a spreadsheet, a program or a keyboard has damaged, by what is wrong, and how to mend a file. */
export const damagedIds = [
  [
    "must be the whole ID, not a shortened number",
    "1.23457E+15|1,23457E+15|1E+05",
    "A spreadsheet has cut a long number: take the file from before, and format that column as text",
  ],
  ["must be the ID alone, without quotes and =", `="00123"|"00123"|'00123|=A1|“00123”|„00123“|‘00123’|«00123»|’00123`],
  [
    "must be the ID alone, without .0",
    "90001.0",
    "A program has made numbers of the IDs: in pandas, read them with dtype=str",
  ],
  ["must be an ID, not a word for a missing value", "nan|NaN|NULL|(null)|none|undefined|[object Object]|<NA>|\\N"],
  ["must not be the error of a formula", "#N/A|#REF!|#NAME?|#NV|#BEZUG!|#ERROR!|#NOM?|#¡VALOR!|#DIV/0!|#N/D|Err:502"],
  ["must not be a formula that is still loading", "Loading..."],
  ["must not begin or end with a blank or an invisible character", " 5|5 |5\u00a0|\u200b5|5\ufeff|5\u00ad|5\u2800|5\t"],
].map(([words = "", ids = "", hint]) => ({ words, ids: ids.split("|"), hint }));

/** A company without rewards before each test, and a folder for its files. */
export async function importer() {
  const { folder, proxy } = await folderAndProxy();
  const company = await companyOfFile("Import files");
  const { id } = company.company;
  beforeEach(() => sql`delete from app.rewards where company_id = ${id}`);
  const inFolder = (text: string): string => text.replaceAll(`${folder}/`, "");

  return {
    ...{ ...company, id, folder, proxy },
    /** The rewards of the company, the cheapest first. */
    stored: () => sql<Row[]>`
      select external_id, name, description, points_cost::int, reward_type from app.rewards
      where company_id = ${id} order by points_cost, external_id`,
    /** Every column of the rewards, and the version of each row. */
    versions: () => sql<Row[]>`select *, xmin::text from app.rewards where company_id = ${id} order by name`,
    write: (name: string, content: string | Buffer) => writeFileSync(`${folder}/${name}`, content),
    /** Imports a file of the folder. What it says has no name of the folder. */
    async send(name: string, args: string[] = [], key = company.key) {
      const ran = runHere(importCommand, [`${folder}/${name}`, ...args], proxy.url, key);
      const { done, lines, outcomes, pauses } = await ran.catch((error) => {
        throw Object.assign(error, { message: inFolder(error.message) });
      });
      return { done: inFolder(done), lines: lines.map(inFolder), outcomes: outcomes.map(inFolder), pauses };
    },
  };
}
