import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { extname } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Project } from "./companies.ts";
import { type Listening, listen } from "./ports.ts";
import { bin, root, runCommand } from "./process.ts";
import { writePrivate } from "./secrets.ts";

const contentTypes: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".json": "application/json",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** A hash of everything that the built files depend on: the sources, the files that they read, and the settings. */
async function fingerprint(settings: object): Promise<string> {
  const sources = [
    "functions/public-api/scopes.ts",
    "{docs/openapi,package,package-lock}.json",
    "{CHANGELOG,docs/api}.md",
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
  signal?: AbortSignal,
): Promise<void> {
  const settings = { VITE_SUPABASE_URL: supabase_url, VITE_SUPABASE_PUBLISHABLE_KEY: publishable_key };
  const built = await fingerprint(settings);
  const mark = `${folder}/dashboard.sha256`;
  if (built === (await readFile(mark, "utf8").catch(() => ""))) return;
  const output = ["--outDir", `${folder}/dashboard`, "--logLevel", "warn"];
  await runCommand(process.execPath, [bin("vite"), "build", `${root}/dashboard`, ...output], {
    // What ships: under a test runner Vite would build React's development version.
    env: { ...process.env, ...settings, NODE_ENV: "production" },
    signal,
  });
  await writePrivate(mark, built);
}

/** The files for a path, in order: a file of the build, the page of that path, or the dashboard's page. */
function filesFor(path: string): string[] {
  if (/^(?:\/[\w-]+(?:\.[\w-]+)*)+\.\w+$/.test(path)) return [path];
  const page = /^(?:\/[\w-]+)+/.exec(path)?.[0] ?? "";
  return [`${page}/index.html`, "/index.html"];
}

const compressed = promisify(gzip);

/** Sends the first of the files that exists, compressed as static hosts do. */
async function send(folder: string, [file = "", ...others]: string[], response: ServerResponse): Promise<void> {
  const content = await readFile(`${folder}${file}`).catch(() => null);
  if (!content && others.length > 0) return send(folder, others, response);
  const compresses = Boolean(response.req.headers["accept-encoding"]?.includes("gzip")) && extname(file) !== ".woff2";
  response.writeHead(content ? 200 : 404, {
    "Content-Type": content ? (contentTypes[extname(file)] ?? "application/octet-stream") : "text/plain",
    ...(content && compresses ? { "Content-Encoding": "gzip" } : {}),
    Vary: "Accept-Encoding",
    // The headers that docs/dashboard.md requires of every host.
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
  });
  response.end(content === null ? "Not found" : compresses ? await compressed(content) : content);
}

/**
 * Serves the built dashboard on 127.0.0.1, as a static host does. Its files are missing until the first build is ready.
 */
export function serveDashboard(folder: string, port: number): Promise<Listening> {
  const server = createServer((request, response) => {
    // Not `new URL`: a path may begin with `//`, which URL would read as a host.
    const [path = ""] = (request.url ?? "").split("?");
    void send(`${folder}/dashboard`, filesFor(path), response);
  });
  return listen(server, port);
}
