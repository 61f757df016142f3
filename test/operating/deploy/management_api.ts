// A stand-in of the platform's management API, and the real CLI talking to it. It shows what would be deployed.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { buffer } from "node:stream/consumers";
import { listen } from "../../../scripts/stack/ports.ts";
import { bin, root, runCommand } from "../../../scripts/stack/process.ts";

export const project = "abcdefghijklmnopqrst";

type QueryLogs = (query: string) => unknown[];

/**
 * The settings of a new project on the platform: schema graphql_public is served too, anybody can sign up with a
 * password of six characters, and no address is confirmed.
 */
const newProject = {
  api: { db_schema: "public,graphql_public", db_extra_search_path: "public,extensions", max_rows: 1000 },
  database: { major_version: 17 },
  auth: { disable_signup: false, mailer_autoconfirm: true, external_email_enabled: true, password_min_length: 6 },
};

/** Further fields of the answer to a request for the Data API's settings. */
const pool = { db_pool: null, db_pool_acquisition_timeout: 10, db_pool_max_lifetime: 1800, db_pool_max_idletime: 30 };

function answerTo(path: string, queryLogs: QueryLogs): [status: number, body: unknown] {
  const { pathname, searchParams } = new URL(path, "http://stand-in.example");
  if (pathname.endsWith("/analytics/endpoints/logs"))
    return [200, { result: queryLogs(searchParams.get("sql") ?? "") }];
  if (path === `/v2/projects/${project}/config`) return [200, { data: { attributes: newProject } }];
  if (path.endsWith("/billing/addons")) return [200, { selected_addons: [], available_addons: [] }];
  if (path.endsWith("/postgrest")) return [200, { ...newProject.api, ...pool }];
  if (path.includes("/functions/deploy"))
    return [201, { id: "1", slug: "public-api", name: "public-api", version: 1, status: "ACTIVE" }];
  return [200, {}];
}

/** @param queryLogs answers a query of the project's logs */
export async function startManagementApi(queryLogs: QueryLogs = () => []) {
  /** The requests of the CLI to any host: the stand-in is also its proxy. */
  const requests: { method: string; path: string; contentType: string; body: Buffer }[] = [];
  const api = createServer(async (incoming, response) => {
    const { method = "", url = "", headers } = incoming;
    requests.push({ method, path: url, contentType: headers["content-type"] ?? "", body: await buffer(incoming) });
    const [status, body] = answerTo(url, queryLogs);
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  api.on("connect", ({ url = "" }, socket) => {
    requests.push({ method: "CONNECT", path: url, contentType: "", body: Buffer.from("") });
    socket.on("error", () => {});
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  const { port, stop } = await listen(api, 0);
  const url = `http://127.0.0.1:${port}`;
  const home = await mkdtemp(`${tmpdir()}/deploy-`);
  const profile = `${home}/profile.yaml`;
  await writeFile(profile, `name: stand-in\napi_url: ${url}\ndashboard_url: ${url}\nproject_host: stand-in.example\n`);
  const env = {
    ...process.env,
    HOME: home,
    SUPABASE_ACCESS_TOKEN: `sbp_${"0".repeat(40)}`,
    DO_NOT_TRACK: "1",
    SUPABASE_NO_UPDATE_NOTIFIER: "1",
    HTTPS_PROXY: url,
    NO_PROXY: "127.0.0.1",
    SUPABASE_PROFILE: profile,
  };
  return {
    requests,
    env,
    /** Runs a command of the CLI against the stand-in, as a signed-in user. Returns what it printed. */
    run: (...args: string[]) =>
      runCommand(process.execPath, [bin("supabase"), ...args, "--profile", profile, "--workdir", root], { env }),
    async stop() {
      await stop();
      await rm(home, { recursive: true });
    },
  };
}
