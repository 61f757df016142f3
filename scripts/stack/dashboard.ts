import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname } from "node:path";
import { gzipSync } from "node:zlib";
import sirv from "sirv";
import type { Project } from "./companies.ts";
import { mcpUrl } from "./edge_function.ts";
import { forward } from "./gateway.ts";
import { type Listening, listen } from "./ports.ts";
import { bin, root, runCommand } from "./process.ts";
import { writePrivate } from "./secrets.ts";

/** A hash of everything that the built files depend on: the sources, the files that they read, and the settings. */
async function fingerprint(settings: object): Promise<string> {
  const sources = [
    "functions/public-api/**/*.ts",
    "cli/{*,src/**/*}.*",
    "{docs/openapi,package,package-lock}.json",
    "{CHANGELOG,docs/api*,docs/keys}.md",
    "docs/connect/{*.*,typescript/package.json}",
    "dashboard/{*,src/**/*,build/*}.*",
  ];
  const hash = createHash("sha256").update(JSON.stringify(settings));
  for (const file of globSync(sources, { cwd: root }).sort()) {
    hash.update(file).update(await readFile(`${root}/${file}`));
  }
  return hash.digest("hex");
}

/** Builds the dashboard for this project into `folder`/dashboard, unless the build there is up to date. */
export async function buildDashboard(
  folder: string,
  { supabase_url, publishable_key }: Project,
  dashboardUrl: string,
  signal?: AbortSignal,
): Promise<void> {
  const settings = {
    VITE_SUPABASE_URL: supabase_url,
    VITE_SUPABASE_PUBLISHABLE_KEY: publishable_key,
    VITE_MCP_URL: mcpUrl(dashboardUrl),
  };
  const built = await fingerprint(settings);
  const mark = `${folder}/dashboard.sha256`;
  if (built === (await readFile(mark, "utf8").catch(() => ""))) return;
  const output = ["--outDir", `${folder}/dashboard`, "--logLevel", "warn"];
  await runCommand(process.execPath, [bin("vite"), "build", `${root}/dashboard`, ...output], {
    // What ships: under a test runner Vite would build React's development version.
    env: { ...process.env, ...settings, NODE_ENV: "production" },
    signal,
  });
  await compressFiles(`${folder}/dashboard`);
  await writePrivate(mark, built);
}

/** Writes each file compressed beside it, as static hosts send it. */
async function compressFiles(folder: string): Promise<void> {
  for (const file of globSync("**/*.{html,json,js,css,svg,md,txt}", { cwd: folder }))
    await writeFile(`${folder}/${file}.gz`, gzipSync(await readFile(`${folder}/${file}`)));
}

/** The paths for assistants at the dashboard's host, and where they are in the API (docs/operate/dashboard.md). */
const assistantPath = /^(?:(\/mcp(?:[/?].*)?)|(\/\.well-known\/(?:oauth-|openid-)[\w-]+)(?:\/mcp)?)$/s;

/**
 * Serves the built dashboard on 127.0.0.1, as a static host does. Its files are missing until the first build is ready.
 * What assistants ask for goes to the gateway, as with the rewrites of a static host.
 */
export function serveDashboard(folder: string, port: number, gatewayPort: number): Promise<Listening> {
  const serve = sirv(`${folder}/dashboard`, {
    // The files are looked up for each request, because a build may replace them.
    dev: true,
    gzip: true,
    // As static hosts do: for an address that there is not, 404.html.
    onNoMatch: async (_, response) => {
      response.writeHead(404, { "Content-Type": "text/html; charset=utf-8" });
      response.end(await readFile(`${folder}/dashboard/404.html`).catch(() => ""));
    },
    // The headers that docs/operate/dashboard.md requires of every host.
    setHeaders: (response, path) => {
      response.setHeader("Content-Security-Policy", "frame-ancestors 'none'");
      response.setHeader("X-Content-Type-Options", "nosniff");
      response.setHeader("Cache-Control", "no-cache");
      const text = { ".md": "text/markdown", ".txt": "text/plain" }[extname(path)];
      if (text) response.setHeader("Content-Type", `${text}; charset=utf-8`);
    },
  });
  return listen(
    createServer((request, response) => {
      const [isForAssistants, own, discovery] = assistantPath.exec(request.url ?? "") ?? [];
      if (isForAssistants === undefined) return serve(request, response);
      forward(request, response, gatewayPort, `/functions/v1/public-api${own ?? `/mcp${discovery}`}`);
    }),
    port,
  );
}
