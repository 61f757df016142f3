// `npm test -- --stack <file>`: the tests run on a stack that they did not start, such as that of `supabase start`.
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { demoCompanies } from "../../scripts/stack/companies.ts";
import { buildDashboard, serveDashboard } from "../../scripts/stack/dashboard.ts";
import { whichDataApi } from "../../scripts/stack/data_api.ts";
import { seedDemoData } from "../../scripts/stack/database.ts";
import { freePort } from "../../scripts/stack/ports.ts";
import { root } from "../../scripts/stack/process.ts";
import { readJson, writePrivate } from "../../scripts/stack/secrets.ts";
import type { StackFile } from "../../scripts/stack/stack.ts";

const needed = ["supabase_url", "publishable_key", "secret_key", "database_url", "superuser_url"] as const;
/** What the file must hold. The keys of the demo companies are made if they are not in it. */
type Given = Pick<StackFile, (typeof needed)[number]> & Partial<Pick<StackFile, "companies">>;

/**
 * Builds the dashboard for the stack, makes keys for the demo companies, and writes a complete stack.json.
 * @returns the folder of stack.json, and what ends the use of the stack
 * @throws Error when the file lacks something, or when the database belongs to somebody: the tests write to it
 */
export async function joinGivenStack(file: string): Promise<{ folder: string; stop: () => Promise<void> }> {
  const given = await readJson<Given>(file);
  for (const name of needed)
    if (!given?.[name]) throw new Error(`${file} must be a JSON file with ${needed.join(", ")}`);
  const { supabase_url, publishable_key, database_url, superuser_url } = given as Given;
  const project = { supabase_url, publishable_key, api_url: `${supabase_url}/functions/v1/public-api` };
  await seedDemoData(database_url);
  const companies = await demoCompanies(project, () => superuser_url, given?.companies ?? []);
  if (companies.length !== 2)
    throw new Error("The tests run only on a stack with the two demo companies, or with none");
  const folder = await mkdtemp(`${tmpdir()}/public-data-api-`);
  const dashboard = await serveDashboard(folder, await freePort(0), Number(new URL(supabase_url).port));
  const dashboard_url = `http://127.0.0.1:${dashboard.port}`;
  await buildDashboard(folder, project, dashboard_url);
  const data_api = (await whichDataApi(project)) ?? "";
  const stack: StackFile = { ...(given as Given), ...project, pid: process.pid, data_api, dashboard_url, companies };
  await writePrivate(`${folder}/stack.json`, JSON.stringify(stack));
  const stop = async () => {
    await dashboard.stop();
    await rm(folder, { recursive: true });
  };
  return { folder, stop };
}

/** The test files that read or break parts of the stack itself, each with the reason: a comment in the file names it. */
export const ownersOnly = (): [file: string, reason: string][] =>
  globSync("test/**/*.test.ts", { cwd: root, exclude: ["**/node_modules"] }).flatMap((file) => {
    const [, reason] = /^\/\/ Needs a stack of its own: (.*)$/m.exec(readFileSync(`${root}/${file}`, "utf8")) ?? [];
    return reason ? [[file, reason]] : [];
  });
