// Tools of others, with the OpenAPI document and the recipes (docs/connect). A recipe that cannot run here is at least
// parsed.
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { endpoints } from "../../../functions/public-api/table/endpoints.ts";
import { operationIdOf } from "../../../scripts/generate/openapi/document.ts";
import { operations } from "../../../scripts/generate/openapi/schemas.ts";
import { root } from "../../../scripts/stack/process.ts";
import { workFolder } from "../../support/command_line.ts";
import { companyOfTest } from "../../support/companies.ts";
import { makeExtremes } from "../../support/extreme_rows.ts";
import { first, list, stack } from "../../support/stack.ts";
import { runRecipe } from "./recipe.ts";

const tools = `${root}/test/cli/tools`;
const folder = workFolder();
const document = `${root}/docs/openapi.json`;
// For what the tools make.
if (existsSync(`${tools}/node_modules`)) symlinkSync(`${tools}/node_modules`, `${folder}/node_modules`);

/** These tools are large, so they are installed separately. */
const withTools = (name: string, check: () => Promise<void>): void =>
  test(name, async ({ skip }) => {
    skip(!existsSync(`${tools}/node_modules`), "npm install --prefix test/cli/tools is missing");
    await check();
  });

const bin = (name: string): string => `${tools}/node_modules/.bin/${name}`;
const node = (...args: string[]): Promise<string> => runRecipe(folder, first.key, process.execPath, args);

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

withTools("the queries of Excel and Power BI and the script of PowerShell are well-formed", async () => {
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

withTools("the Postman collection works on import, and running all of it writes nothing", async () => {
  const { key } = await companyOfTest("Postman");
  const collection = JSON.parse(readFileSync(`${root}/docs/connect/public-data-api.postman_collection.json`, "utf8"));
  const report = `${folder}/newman.json`;
  const answers = async () => {
    writeFileSync(`${folder}/collection.json`, JSON.stringify(collection));
    const variables = [`base_url=${stack.api_url}`, `api_key=${key}`].flatMap((one) => ["--env-var", one]);
    const output = ["--reporters", "json", "--reporter-json-export", report];
    await node(bin("newman"), "run", "collection.json", ...variables, ...output);
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

withTools("clients made from the document by Hey API and Orval compile, and one is understood", async () => {
  await node(bin("openapi-ts"), "--input", document, "--output", "hey", "--silent");
  await node(bin("orval"), "--input", document, "--output", "orval/api.ts", "--client", "fetch");
  writeFileSync(
    `${folder}/use.ts`,
    `import { listMembers, listMembersChanges } from "./hey";
    import { listActivity } from "./orval/api";
    const emails: Promise<string[]> = listMembers({ query: { limit: 5 } }).then(({ data }) => (data ?? []).map((row) => row.email));
    const changed: Promise<(string | null)[]> = listMembersChanges().then(({ data }) => (data ?? []).flatMap((row) => (row.deleted ? [] : row.email)));
    listActivity({ limit: 5 }).then((answer) => { if (answer.status === 200) console.log(answer.data, emails, changed); });`,
  );
  const options =
    "--noEmit --strict --skipLibCheck --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom,dom.iterable";
  expect(await node(bin("tsc"), ...options.split(" "), "use.ts")).toBe("");

  const { listActivity } = await import(/* @vite-ignore */ `${folder}/hey/index.ts`);
  const include = ["sender_id", "category_id"];
  const sent = { baseUrl: stack.api_url, headers: { "X-API-Key": first.key }, query: { limit: 1, include } };
  const { data } = await listActivity(sent);
  expect(Object.keys(data?.[0] ?? {}), "include is sent as one value").toEqual(expect.arrayContaining(include));
});

/** Rows whose cursors do not say when a copy began: this differs from one request to the next. */
const alike = (rows: Record<string, unknown>[]) =>
  rows.map((row) => ("cursor" in row ? { ...row, cursor: String(row.cursor).slice(0, 56) } : row));

withTools("clients that check every answer, or only type it, read the most extreme rows and the errors", async () => {
  const { makeKey, remove } = await makeExtremes();
  const { api_key: key } = await makeKey();
  const headers = { "X-API-Key": key };
  await node(bin("openapi-zod-client"), document, "-o", "zod.ts");
  await node(bin("oazapfts"), document, "oazapfts.ts");
  await node(bin("swagger-typescript-api"), "generate", "-p", document, "-o", ".", "-n", "swagger.ts");
  const { createApiClient } = await import(/* @vite-ignore */ `${folder}/zod.ts`);
  const oazapfts = await import(/* @vite-ignore */ `${folder}/oazapfts.ts`);
  const { Api } = await import(/* @vite-ignore */ `${folder}/swagger.ts`);

  const checked = createApiClient(stack.api_url, { axiosConfig: { headers } });
  Object.assign(oazapfts.defaults, { baseUrl: stack.api_url, headers });
  // Its methods are in groups, by the first word of the path.
  const swagger = Object.assign({}, ...Object.values(new Api({ baseUrl: stack.api_url, baseApiParams: { headers } })));
  for (const endpoint of endpoints) {
    if (endpoint.kind !== "list" && endpoint.kind !== "changes") continue;
    const { path, included } = endpoint;
    const operationId = operationIdOf(endpoint.operation);
    const include = included.map(({ name }) => name);
    const expected = alike(await list(`${path}${include.length > 0 ? `?include=${include}` : ""}`, key));
    const query = include.length > 0 ? { include } : {};
    expect(alike(await checked.get(path, { queries: query })), `zod ${path}`).toEqual(expected);
    const answer = await oazapfts[operationId](query);
    expect({ ...answer, data: alike(answer.data) }, `oazapfts ${path}`).toMatchObject({ status: 200, data: expected });
    expect(alike((await swagger[operationId](query)).data), `swagger-typescript-api ${path}`).toEqual(expected);
  }

  const error = "limit must be an integer from 1 to 1000";
  await expect(checked.get("/members", { queries: { limit: 1001 } })).rejects.toThrow();
  await expect(checked.get("/teams", { headers: { "X-API-Key": "none" } })).rejects.toThrow("401");
  expect(await oazapfts.listMembers({ limit: 1001 })).toMatchObject({ status: 400, data: { error } });
  await expect(swagger.listMembers({ limit: 1001 })).rejects.toMatchObject({ status: 400, error: { error } });
  await remove();
});
