// npm run openapi: writes docs/openapi.json and the Postman collection from the endpoints of the function. With --
// --examples it first gets new examples from the stack of `npm start`. test/serial/openapi.test.ts compares the file with
// the code, and the examples with the stack.
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { createClient } from "@supabase/supabase-js";
import { removeImports } from "./docs.ts";
import { openApiDocument } from "./openapi/document.ts";
import { collectExamples, type Examples } from "./openapi/examples.ts";
import { postmanCollection } from "./openapi/postman.ts";
import { bin, root, runCommand } from "./stack/process.ts";
import { runCommandLine, runningStack } from "./stack/running.ts";

const documentFile = `${root}/docs/openapi.json`;
const postmanFile = `${root}/docs/connect/public-data-api.postman_collection.json`;
const examplesFile = `${root}/scripts/openapi/examples.json`;

/** The document of the current code and the stored examples. */
export async function currentDocument(): Promise<object> {
  const examples: Examples = JSON.parse(await readFile(examplesFile, "utf8"));
  return openApiDocument(examples);
}

/**
 * Gets new examples from the running stack, with the demo company's key and two new keys, which are revoked at the end.
 */
async function newExamples(): Promise<Examples> {
  const stack = await runningStack();
  const [company] = stack.companies;
  if (!company) throw new Error("The stack that is running names no company");
  const admin = createClient(stack.supabase_url, stack.publishable_key, { auth: { persistSession: false } });
  await admin.auth.signInWithPassword({ email: company.admin_email, password: company.admin_password });
  const made = await Promise.all(
    ["read:members", "read:activity"].map(async (scope) => {
      const { data, error } = await admin.rpc("create_api_key", { name: "npm run openapi", scopes: [scope] });
      if (error) throw new Error(error.message);
      return data as { id: string; api_key: string };
    }),
  );
  try {
    const [members, activity] = made.map(({ api_key }) => api_key);
    const keys = { all: company.api_key, "read:members": members ?? "", "read:activity": activity ?? "" };
    return await collectExamples((path, init) => fetch(`${stack.api_url}${path}`, init), keys);
  } finally {
    await removeImports(stack);
    for (const { id } of made) await admin.rpc("revoke_api_key", { key_id: id });
  }
}

const usage = `Usage: npm run openapi [-- --examples]
Writes docs/openapi.json and the Postman collection of docs/connect from the endpoints of the function.
  --examples   ask the stack that npm start runs for new examples first`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { examples: { type: "boolean" }, help: { type: "boolean", short: "h" } } });
  if (values.help) return console.log(usage);
  if (values.examples) await writeFile(examplesFile, JSON.stringify(await newExamples()));
  await writeFile(documentFile, JSON.stringify(await currentDocument()));
  await writeFile(postmanFile, JSON.stringify(postmanCollection()));
  await runCommand(bin("biome"), ["format", "--write", examplesFile, documentFile, postmanFile]);
  console.log("docs/openapi.json and the Postman collection written");
}

if (import.meta.main) await runCommandLine(main, usage);
