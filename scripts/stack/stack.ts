import { appendFileSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { type Company, demoCompanies, type Project } from "./companies.ts";
import { buildDashboard, serveDashboard } from "./dashboard.ts";
import { startDataApi, tokensOfKeys, whichDataApi } from "./data_api.ts";
import { type DatabaseUrl, pushMigrations, seedDemoData } from "./database.ts";
import { startEdgeFunction } from "./edge_function.ts";
import { forward, startGateway, toDataApi, toLite } from "./gateway.ts";
import { startLite } from "./lite.ts";
import { captureMails } from "./mail.ts";
import { freePort } from "./ports.ts";
import { startPostgres } from "./postgres.ts";
import { readJson, stackSecrets, writePrivate } from "./secrets.ts";

/** The content of stack.json: what tools and tests need to know about a running stack. */
export interface StackFile {
  pid: number;
  /** The public data API, without a slash at the end. */
  api_url: string;
  supabase_url: string;
  /** As `postgres`, which is not a superuser and runs the migrations. */
  database_url: string;
  superuser_url: string;
  dashboard_url: string;
  publishable_key: string;
  secret_key: string;
  /** What the Data API calls itself. */
  data_api: string;
  companies: Company[];
}

/** A running stack. If a part of it ends by itself, `ended` resolves with the part's name. */
export interface Stack extends StackFile {
  ended: Promise<string>;
  stop(): Promise<void>;
}

/** The options of startStack. */
export interface StackOptions {
  /** The folder of its data, logs and stack.json. */
  folder: string;
  /** The ports to use; a port that is taken is replaced by a free one. 0 is any free port. */
  ports: { gateway: number; database: number; dashboard: number };
  /** The data need not survive a crash, so PostgreSQL does not wait for the disk. */
  throwaway: boolean;
  /** Is called with the name of each step when it begins. */
  progress: (step: string) => void;
  /** The path of PostgREST's binary, in place of the stand-in. */
  postgrest?: string | undefined;
  /** Ends the start before the next step. */
  signal?: AbortSignal;
}

/** Empties a log file and returns a function that adds a line to it. */
async function newLog(path: string): Promise<(line: string) => void> {
  await writePrivate(path, "");
  return (line) => appendFileSync(path, `${new Date().toISOString()} ${line}\n`);
}

/** Replaces a JSON file in one step, so that a reader never finds an incomplete file. */
async function replaceJson(path: string, content: object): Promise<void> {
  await writePrivate(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`);
  await rename(`${path}.new`, path);
}

/** The demo companies with keys and passwords that work. They are stored in the file for the next start. */
async function withKeys(file: string, project: Project, url: DatabaseUrl): Promise<Company[]> {
  const companies = await demoCompanies(project, url, (await readJson<Company[]>(file)) ?? []);
  await replaceJson(file, companies);
  return companies;
}

/** What can be stopped. */
type Part = { stop(): Promise<void> };

/** The parts that run. It stops them, the last one first. */
class Parts extends AsyncDisposableStack {
  add<T extends Part>(part: T): T {
    return this.adopt(part, () => part.stop());
  }

  /** Adds two parts that start at the same time. If one of them does not start, the other is added before it throws. */
  async addBoth<A extends Part, B extends Part>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
    for (const part of await Promise.allSettled([one, other])) if (part.status === "fulfilled") this.add(part.value);
    return Promise.all([one, other]);
  }
}

/** Starts the parts, PostgreSQL and the function at the same time, and adds each to `parts`. */
async function startParts(options: StackOptions, parts: Parts): Promise<Omit<Stack, "stop">> {
  const { folder, ports, throwaway, progress, signal, postgrest } = options;
  const step = (what: string): void => {
    signal?.throwIfAborted();
    progress(what);
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // An earlier stack that was killed may have left the file. Stopping removes the file first.
  const withdraw = () => rm(`${folder}/stack.json`, { force: true });
  await withdraw();
  const secrets = await stackSecrets(folder);
  const log = await newLog(`${folder}/gateway.log`);

  const gateway = parts.add(await startGateway(await freePort(ports.gateway)));
  const supabase_url = `http://127.0.0.1:${gateway.port}`;
  const { publishable_key, secret_key } = secrets;
  const project = { supabase_url, api_url: `${supabase_url}/functions/v1/public-api`, publishable_key };

  const dashboard = parts.add(await serveDashboard(folder, await freePort(ports.dashboard), gateway.port));
  const dashboard_url = `http://127.0.0.1:${dashboard.port}`;
  const dashboardBuilt = buildDashboard(folder, project, dashboard_url, signal);
  // It is awaited at the end. Without this, a failure before that would be an unhandled rejection.
  dashboardBuilt.catch(() => {});

  step("PostgreSQL and the function");
  const [database, edgeFunction] = await parts.addBoth(
    startPostgres(folder, secrets, { port: ports.database, throwaway }),
    startEdgeFunction(folder, supabase_url, secret_key, dashboard_url),
  );
  gateway.upstreams.functions = (incoming, response, path) => forward(incoming, response, edgeFunction.port, path);
  step("migrations");
  await pushMigrations(database.url("postgres"), signal);
  step("demo data");
  await seedDemoData(database.url("postgres"));
  step("Data API and Auth");
  const driver = await captureMails(`${folder}/mails.jsonl`);
  const mailing = { siteUrl: dashboard_url, driver };
  const lite = parts.add(startLite(database.url("supabase_auth_admin"), mailing, secrets, log));
  const signIn = database.url("authenticator");
  const started = startDataApi(`${folder}/data_api.log`, signIn, secrets.jwt_secret, { binary: postgrest });
  const dataApi = parts.add(await started);
  const dataApiOfKeys = toDataApi(dataApi.port, await tokensOfKeys(secrets));
  Object.assign(gateway.upstreams, { auth: toLite(lite.fetch, log), rest: dataApiOfKeys });
  step("API keys");
  const companies = await withKeys(`${folder}/companies.json`, project, database.url);
  step("the dashboard");
  await dashboardBuilt;
  const data_api = (await whichDataApi(project)) ?? "";
  const file: StackFile = {
    ...{ pid: process.pid, ...project, secret_key, data_api, dashboard_url, companies },
    database_url: database.url("postgres"),
    superuser_url: database.url("supabase_admin"),
  };
  parts.add({ stop: withdraw });
  await replaceJson(`${folder}/stack.json`, file);

  const ended = Promise.race([
    database.exited.then(() => "PostgreSQL"),
    edgeFunction.exited.then(() => "The function"),
    dataApi.exited.then(() => "The Data API"),
  ]);
  return { ...file, ended };
}

/**
 * Starts PostgreSQL, applies the migrations, and starts the Data API, Auth and the function behind one port and the
 * dashboard on another. Writes `folder`/stack.json after a request with each company's key has succeeded; the file
 * exists as long as the stack serves. If the start fails, nothing is left running. `folder`/companies.json keeps the
 * keys and passwords for the next start.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const parts = new Parts();
  const stop = () => parts.disposeAsync();
  try {
    return { ...(await startParts(options, parts)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
