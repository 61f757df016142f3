// npm run baseline: builds the first migration from sql/schema. Only until the first release: a migration that has been released is
// never edited, and from then on every change is a new file beside it.
import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { root } from "./stack/process.ts";

const name = "20261121000000_baseline.sql";
// What was released is kept a second time, for the test that upgrades from it.
const targets = [`supabase/migrations/${name}`, `test/released/${name}`];

const files = globSync(`${root}/sql/schema/*.sql`).sort();
const chapters = await Promise.all(
  files.map(async (file) => `-- ${basename(file)}\n\n${(await readFile(file, "utf8")).trim()}\n`),
);
const header = "-- Built from sql/schema by `npm run baseline`: change it there.\n";
for (const target of targets) {
  await writeFile(`${root}/${target}`, [header, ...chapters].join("\n"));
  console.log(`${target}: ${files.length} files of sql/schema`);
}
