// `supabase functions deploy` (docs/operations.md): what the real CLI sends when it talks to a stand-in of the management API.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { posix } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bin, root, runCommand } from "../../scripts/stack/process.ts";

const project = "abcdefghijklmnopqrst";
const folder = "functions/public-api";

/** Every request that the CLI made, to whatever host: the stand-in is its proxy too. */
const requests: string[] = [];
let deployed: FormData;

const api = createServer(async (incoming, response) => {
  const { method, url = "", headers } = incoming;
  requests.push(`${method} ${url}`);
  const body = await buffer(incoming);
  const isDeploy = url.startsWith(`/v1/projects/${project}/functions/deploy`);
  if (isDeploy) {
    deployed = await new Response(body, { headers: { "Content-Type": headers["content-type"] ?? "" } }).formData();
  }
  response.writeHead(isDeploy ? 201 : 404, { "Content-Type": "application/json" });
  response.end(
    JSON.stringify(isDeploy ? { id: "1", slug: "public-api", name: "public-api", version: 1, status: "ACTIVE" } : {}),
  );
});
api.on("connect", ({ url }, socket) => {
  requests.push(`CONNECT ${url}`);
  socket.on("error", () => {});
  socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
});

beforeAll(async () => {
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const home = await mkdtemp(`${tmpdir()}/deploy-`);
  const profile = `${home}/profile.yaml`;
  await writeFile(profile, `name: stand-in\napi_url: ${url}\ndashboard_url: ${url}\nproject_host: stand-in.example\n`);
  const args = ["functions", "deploy", "public-api", "--use-api", "--yes", `--remote=${project}`];
  await runCommand(bin("supabase"), [...args, "--profile", profile, "--workdir", root], {
    env: {
      ...process.env,
      HOME: home,
      SUPABASE_ACCESS_TOKEN: `sbp_${"0".repeat(40)}`,
      DO_NOT_TRACK: "1",
      SUPABASE_NO_UPDATE_NOTIFIER: "1",
      HTTPS_PROXY: url,
      NO_PROXY: "127.0.0.1",
    },
  });
  await rm(home, { recursive: true });
});
afterAll(() => void api.close());

/** The files that were sent, by their path in the repository. */
async function sentFiles(): Promise<Map<string, string>> {
  const files = deployed.getAll("file").filter((file) => typeof file !== "string");
  return new Map(
    await Promise.all(files.map(async (file): Promise<[string, string]> => [file.name, await file.text()])),
  );
}

const importsOf = (source: string): string[] =>
  [...source.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*"([^"]+)"/g)].map(([, specifier = ""]) => specifier);

/** The file and all that it imports from its own folder, at any depth. */
async function neededBy(path: string, found = new Map<string, string>()): Promise<Map<string, string>> {
  if (found.has(path)) return found;
  const source = await readFile(`${root}/${path}`, "utf8");
  found.set(path, source);
  for (const specifier of importsOf(source).filter((one) => one.startsWith("."))) {
    await neededBy(posix.join(posix.dirname(path), specifier), found);
  }
  return found;
}

test("every file that the function needs arrives as it is, and no other file of the repository", async () => {
  const needed = await neededBy(`${folder}/index.ts`);
  expect([...needed.keys()]).toContain(`${folder}/endpoints.ts`);
  needed.set(`${folder}/deno.json`, await readFile(`${root}/${folder}/deno.json`, "utf8"));
  const sorted = (files: Map<string, string>) => [...files].sort();
  expect(sorted(await sentFiles())).toEqual(sorted(needed));
});

test("the entry point and the import map outside of supabase/ are found among them, and no token of Supabase Auth is asked for", async () => {
  const metadata = JSON.parse(String(deployed.get("metadata")));
  expect(metadata).toEqual({
    name: "public-api",
    entrypoint_path: `${folder}/index.ts`,
    import_map_path: `${folder}/deno.json`,
    verify_jwt: false,
    static_patterns: [],
  });
});

test("the import map knows every package that the files import", async () => {
  const { imports } = JSON.parse((await sentFiles()).get(`${folder}/deno.json`) ?? "{}");
  const packages = [...(await sentFiles()).values()].flatMap(importsOf).filter((one) => !one.startsWith("."));
  expect(Object.keys(imports).sort()).toEqual([...new Set(packages)].sort());
});

test("with the switches of docs/operations.md the CLI talks to the management API and to nobody else", () => {
  expect(requests).toContain(`POST /v1/projects/${project}/functions/deploy?slug=public-api`);
  expect(requests.filter((request) => !request.includes(` /v1/projects/${project}`))).toEqual([]);
});
