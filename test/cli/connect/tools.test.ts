// Tools of others, with the recipes and the collection (docs/connect). A recipe that cannot run here is at least parsed.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { beforeEach, expect, test } from "vitest";
import { operations } from "../../../scripts/generate/openapi/schemas.ts";
import { root } from "../../../scripts/stack/process.ts";
import { workFolder } from "../../support/command_line.ts";
import { companyOfTest } from "../../support/companies.ts";
import { first, list, stack } from "../../support/stack.ts";
import { runRecipe } from "./recipe.ts";

const tools = `${root}/test/cli/tools`;
const folder = workFolder();

// These tools are large, so they are installed separately.
beforeEach(({ skip }) => skip(!existsSync(`${tools}/node_modules`), "npm install --prefix test/cli/tools is missing"));

const require = createRequire(`${tools}/package.json`);

/** Whether Microsoft's parser can read a text in Power Query M. */
async function isQuery(text: string): Promise<boolean> {
  const { DefaultSettings, TaskUtils } = require("@microsoft/powerquery-parser");
  return TaskUtils.isParseStageOk(await TaskUtils.tryLexParse(DefaultSettings, text));
}

/** Whether a text is a PowerShell script, by the grammar of tree-sitter. */
async function isPowerShell(text: string): Promise<boolean> {
  const { Language, Parser } = require("web-tree-sitter");
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(require.resolve("tree-sitter-powershell/tree-sitter-powershell.wasm")));
  return !parser.parse(text).rootNode.hasError;
}

test("the queries of Excel and Power BI and the script of PowerShell are well-formed", async () => {
  const lines = ["excel-and-power-bi.md", "kudos-per-team.md"].flatMap((page) => {
    const text = readFileSync(`${root}/docs/connect/${page}`, "utf8");
    return [...text.matchAll(/`= (PublicDataApi[^`]+)`/g)].map(([, line = ""]) => line);
  });
  expect(lines).toHaveLength(4);
  const query = readFileSync(`${root}/docs/connect/public-data-api.pq`, "utf8");
  const wrong = query.replace("PageSize = 1000,", "PageSize = 1000");
  for (const text of [...lines, query]) expect(await isQuery(text), text).toBe(true);
  expect(await isQuery(wrong)).toBe(false);
  expect(await isPowerShell(readFileSync(`${root}/docs/connect/PublicDataApi.ps1`, "utf8"))).toBe(true);
  expect(await isPowerShell("foreach ($list in $Lists { }")).toBe(false);
});

test("the Postman collection works on import, and running all of it writes nothing", async () => {
  const { key } = await companyOfTest("Postman");
  const collection = JSON.parse(readFileSync(`${root}/docs/connect/public-data-api.postman_collection.json`, "utf8"));
  const report = `${folder}/newman.json`;
  const answers = async () => {
    writeFileSync(`${folder}/collection.json`, JSON.stringify(collection));
    const variables = [`base_url=${stack.api_url}`, `api_key=${key}`].flatMap((one) => ["--env-var", one]);
    const output = ["--reporters", "json", "--reporter-json-export", report];
    const args = [`${tools}/node_modules/.bin/newman`, "run", "collection.json", ...variables, ...output];
    await runRecipe(folder, first.key, process.execPath, args);
    const { run } = JSON.parse(readFileSync(report, "utf8"));
    const executions: { item: { name: string }; response: { code: number } }[] = run.executions;
    return executions.map(({ item, response }) => [item.name, response.code]);
  };
  const all = operations.map(({ summary }) => [summary, 200]);
  expect(await answers()).toEqual(all);
  expect(await list("/rewards", key)).toEqual([]);
  // As the page says: dry_run disabled.
  for (const { request } of collection.item) if (request.method === "POST") request.url = "{{base_url}}/rewards";
  expect(await answers()).toEqual(all);
  expect(await list("/rewards", key)).toHaveLength(1);
});
