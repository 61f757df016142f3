// The calls of docs/connect/assistants.md, against the demo company, and programs that sign in.
import { existsSync, readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";
import { root } from "../../../scripts/stack/process.ts";
import { environment, workFolder } from "../../support/command_line.ts";
import { companyOfTest } from "../../support/companies.ts";
import { agree, resource } from "../../support/sign_in.ts";
import { first, stack } from "../../support/stack.ts";

const page = readFileSync(`${root}/docs/connect/assistants.md`, "utf8");

// Proves: assistants.7
test("each call of assistants.md answers what the page says", async () => {
  const client = new Client({ name: "test", version: "1.0.0" });
  const requestInit = { headers: { "X-API-Key": first.key } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${stack.api_url}/mcp`), { requestInit }));
  const calls = [...page.matchAll(/```json call\n(.*?)```\n\n```text\n(.*?)```/gs)];
  expect(calls).toHaveLength(1);
  for (const [, call = "", said = ""] of calls) {
    const { content } = (await client.callTool(JSON.parse(call))) as { content: { text: string }[] };
    const text = content[0]?.text.replaceAll("\r\n", "\n") ?? "";
    expect(text.slice(0, said.length), call).toBe(said);
  }
  await client.close();
});

test("the settings of assistants.md are JSON with the path and the header", () => {
  const settings = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text = ""]) => JSON.stringify(JSON.parse(text)));
  expect(settings).toHaveLength(4);
  for (const text of settings) expect(text).toMatch(/"<base>\/mcp".*"headers":\{"X-API-Key":/);
});

/** What a program can do that has signed in, and was let read people only. */
async function expectPeopleOnly(client: Client): Promise<void> {
  const people = await client.callTool({ name: "list_members", arguments: {} });
  expect(people.content).toMatchObject([{ text: expect.stringContaining("First Admin") }]);
  const kudos = await client.callTool({ name: "list_activity", arguments: {} });
  expect(kudos).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("read:activity") }] });
  await client.close();
}

test("a program of the SDK is refused, signs in, and reads what the admin let it", async () => {
  const { company } = await companyOfTest("Sign-in");
  const redirectUrl = "http://localhost:4711/callback";
  const clientMetadata = { client_name: "SDK", redirect_uris: [redirectUrl] };
  // biome-ignore lint/suspicious/noExplicitAny: what the SDK saves, it gets again as it was
  const saved: Record<string, any> = {};
  const save = (name: string) => (value: unknown) => {
    saved[name] = value;
  };
  const authProvider = {
    ...{ redirectUrl, clientMetadata, redirectToAuthorization: save("asked") },
    ...{ clientInformation: () => saved.client, saveClientInformation: save("client") },
    ...{ tokens: () => saved.tokens, saveTokens: save("tokens") },
    ...{ codeVerifier: () => saved.verifier, saveCodeVerifier: save("verifier") },
    ...{ discoveryState: () => saved.discovery, saveDiscoveryState: save("discovery") },
  };
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = () => new StreamableHTTPClientTransport(new URL(resource), { authProvider });
  const refused = transport();
  await expect(client.connect(refused)).rejects.toThrow(UnauthorizedError);
  await refused.finishAuth((await agree(company.admin, saved.asked)).searchParams);
  await client.connect(transport());
  await expectPeopleOnly(client);
});

const folder = workFolder();

test("mcp-remote signs in, and reads what the admin let it", async (context) => {
  const program = `${root}/test/cli/tools/node_modules/mcp-remote/dist/proxy.js`;
  context.skip(!existsSync(program), "npm install --prefix test/cli/tools is missing");
  const { company } = await companyOfTest("Remote");
  const env = { ...environment(undefined), MCP_REMOTE_CONFIG_DIR: folder, BROWSER: "true" } as Record<string, string>;
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [program, resource, "--transport", "http-only"], env, stderr: "pipe" },
  });
  let said = "";
  transport.stderr?.on("data", (text) => {
    said += text;
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  const connected = client.connect(transport);
  const asked = async () => /by visiting:\s+(http\S+)/.exec(said)?.[1];
  await Promise.race([connected, expect.poll(asked).toBeDefined()]);
  await fetch(await agree(company.admin, new URL((await asked()) ?? "")));
  await connected;
  await expectPeopleOnly(client);
});
