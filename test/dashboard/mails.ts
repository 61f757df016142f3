import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Mail } from "../../scripts/stack/mail.ts";
import { eventually } from "./browser.ts";

const file = `${dirname(process.env.STACK_FILE ?? "")}/mails.jsonl`;

export function mailsTo(address: string): Mail[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Mail).filter(({ to }) => to === address);
}

/** Waits until this address has received `count` emails, and returns the link of the newest one. */
export async function linkMailedTo(address: string, count = 1): Promise<string> {
  await eventually(() => mailsTo(address).length).toBe(count);
  const link = /https?:\/\/\S+/.exec(mailsTo(address).at(-1)?.text ?? "")?.[0];
  if (!link) throw new Error(`The mail to ${address} has no link`);
  return link;
}
