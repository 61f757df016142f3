import { endpoints } from "../../../functions/public-api/endpoints.ts";
import { describeKey } from "../key.ts";
import { type Command, readArguments, settings } from "./command.ts";

const usage = `Usage: public-data-api check

Asks the API whose the key is, and what it may do.

Example:
  public-data-api check && public-data-api export all --out backup

${settings}`;

export const checkCommand: Command = {
  summary: "whether address and key are good, and what the key may do",
  usage,
  async run(args, { output, connect }) {
    readArguments("check", { args, options: {} });
    const { version, company_name, key_name, scopes, expires_at } = await describeKey(connect());
    const allowed = endpoints.filter(({ scope }) => scope !== null && scopes.includes(scope));
    const lines = [
      ["Company", company_name],
      ["Key", key_name],
      ["Expires", expires_at ?? "never"],
      ["Scopes", scopes.join(", ")],
      ["Allowed", allowed.map(({ method, path }) => `${method} ${path}`).join(", ")],
      ["API", version],
    ];
    output.write(lines.map(([name = "", value]) => `${name.padEnd(9)}${value}\n`).join(""));
  },
};
