// npm run generate: writes all that repeats endpoints.ts (docs/openapi.json, the Postman collection, the tables
// of pages), the rules for cells in import-rewards.gs, and the tests that prove each statement of
// test/specification.md and docs/making/threat-model.md. With -- --examples it first gets the examples of the document,
// and the outputs of the pages' curl commands, from the stack of `npm start`. The documents test fails if something is
// stale.
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { importScript, withCellRules } from "./generate/cell_rules.ts";
import { openApiDocument } from "./generate/openapi/document.ts";
import { collectExamples, type Examples } from "./generate/openapi/examples.ts";
import { postmanCollection } from "./generate/openapi/postman.ts";
import { withOutputs } from "./generate/outputs.ts";
import { errorsPage, withErrors } from "./generate/reference.ts";
import { provenPages, readProofs, withProofs } from "./generate/specification.ts";
import { bin, root, runCommand } from "./stack/process.ts";
import { runCommandLine, runningStack } from "./stack/running.ts";

const examplesFile = "scripts/generate/openapi/examples.json";

/** Every generated file and its text. JSON is not formatted yet. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const read = (file: string) => readFile(`${root}/${file}`, "utf8");
  const examples: Examples = JSON.parse(await read(examplesFile));
  const files = new Map([
    ["docs/openapi.json", JSON.stringify(openApiDocument(examples))],
    ["docs/connect/public-data-api.postman_collection.json", JSON.stringify(postmanCollection())],
    [importScript, withCellRules(await read(importScript))],
    [errorsPage, withErrors(await read(errorsPage))],
  ]);
  for (const page of provenPages) files.set(page, withProofs(await read(page), readProofs()));
  return files;
}

async function write(files: Iterable<[string, string]>): Promise<void> {
  for (const [file, text] of files) {
    await writeFile(`${root}/${file}`, text);
    if (file.endsWith(".json"))
      await runCommand(process.execPath, [bin("biome", "@biomejs/biome"), "format", "--write", `${root}/${file}`]);
  }
}

const usage = `Usage: npm run generate [-- --examples]
Writes docs/openapi.json, the Postman collection, the rules in ${importScript}, ${errorsPage}, and the tests that
${provenPages.join(" and ")} name.
  --examples   first get new examples, and the outputs of all curl commands, from the stack of npm start`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { examples: { type: "boolean" }, help: { type: "boolean", short: "h" } } });
  if (values.help) return console.log(usage);
  if (values.examples) await write([[examplesFile, JSON.stringify(await collectExamples(await runningStack()))]]);
  await write(await generatedFiles());
  if (values.examples) await write(await withOutputs(await runningStack()));
  console.log("Written: docs/openapi.json, the Postman collection, and what the pages repeat");
}

if (import.meta.main) await runCommandLine(main, usage);
