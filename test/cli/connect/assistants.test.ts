// The calls of docs/connect/assistants.md, against the demo company.
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { root } from "../../../scripts/stack/process.ts";
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
