// Starts an MCP server (node <file>) and talks to it: prints the names of its tools, and the result of the tool given
// in the arguments.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [server, tool, parameters] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({ command: process.execPath, args: [server], env: process.env, stderr: "ignore" }),
);
const { tools } = await client.listTools();
const { content } = await client.callTool({ name: tool, arguments: JSON.parse(parameters) });
await client.close();
process.stdout.write(JSON.stringify({ tools: tools.map(({ name }) => name), text: content[0].text }));
