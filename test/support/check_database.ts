// npm run check-database (docs/operate/backup-and-restore.md, Check the database).
import { expect } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { startProgram } from "./command_line.ts";

/** What the command prints, without the address of the database in any argument. */
export async function checkDatabase({ url }: { url: string }, code = 1): Promise<string> {
  const args = [`${root}/scripts/check_database.ts`];
  const ended = await startProgram(process.execPath, args, { env: { ...process.env, DATABASE_URL: url } }).ended;
  expect(ended.code, ended.output).toBe(code);
  return ended.output;
}
