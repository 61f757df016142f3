import { endpoints } from "../../../functions/public-api/table/endpoints.ts";
import manifest from "../../package.json" with { type: "json" };
import { printable } from "../errors.ts";
import { describeKey, isOlder } from "../key.ts";
import { type Command, readArguments, settings } from "./command.ts";

const usage = `Usage: public-data-api check [--json]

Shows whose key it is, and what it may do.

  --json   print the API's answer as JSON, for a script

Example:
  public-data-api check && public-data-api export all --out backup

${settings}`;

export const checkCommand: Command = {
  summary: "whether address and key are good, and what the key may do",
  usage,
  async run(args, { output, progress, connect }) {
    const { values } = readArguments("check", { args, options: { json: { type: "boolean" } } });
    const key = await describeKey(connect());
    if (isOlder(manifest.version, key.version))
      progress.warn(
        `This command line is ${manifest.version}, older than the API: install that of version ${key.version}`,
      );
    if (values.json === true) return void output.write(`${JSON.stringify(key, null, 2)}\n`);
    const { version, company_name, key_name, scopes, expires_at } = key;
    // Whoever may read a list may read its changes.
    const allowed = endpoints.filter(
      ({ kind, scope }) => kind !== "changes" && scope !== null && scopes.includes(scope),
    );
    const lines: [string, string][] = [
      ["Company", company_name],
      ["Key", key_name],
      ["Expires", expires_at ?? "never"],
      ["Scopes", scopes.join(", ")],
      ["Allowed", allowed.map(({ method, path }) => `${method} ${path}`).join(", ")],
      ["API", version],
    ];
    output.write(lines.map(([name, value]) => `${name.padEnd(9)}${printable(value)}\n`).join(""));
  },
};
