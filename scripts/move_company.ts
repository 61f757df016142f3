// npm run move-company -- <company id> --company <its name> --leave closed|readable: moves a company to another project
// (docs/operate/move-a-company.md).
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { progressOn } from "../cli/src/progress.ts";
import { type Database, OperatorError, openDatabase, query } from "./move/database.ts";
import { type Moved, moveCompany, type OldSide } from "./move/move.ts";

const usage = `Usage: npm run move-company -- <company id> --company <its name> --leave closed|readable
  --company <name>   the company's name; without it a terminal shows the name and asks for it
  --leave closed     then requests with the company's keys get a 401 from the source
  --leave readable   then its keys still read from the source what was there when it moved
SOURCE_DATABASE_URL and TARGET_DATABASE_URL are the addresses of the two databases: direct connections, or session poolers, of the role postgres.`;

interface Arguments {
  company: string;
  /** The company's name, if it was given. */
  name: string | undefined;
  oldSide: OldSide;
}

function readArguments(args: string[]): Arguments {
  try {
    const options = { leave: { type: "string" }, company: { type: "string" } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [company = "", ...others] = positionals;
    if (others.length > 0 || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(company))
      throw new Error("Name one company, by its id");
    if (values.leave !== "closed" && values.leave !== "readable") throw new Error("--leave must be closed or readable");
    return { company: company.toLowerCase(), name: values.company, oldSide: values.leave };
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}\n${usage}`);
  }
}

/**
 * Compares the name of the company at the source with the one that was given, or that a terminal is asked for.
 * @throws OperatorError when it is another one
 */
async function confirmName(source: Database, { company, name }: Arguments): Promise<void> {
  const [found] = await query<{ name: string }>(source, "select name from app.companies where id = $1", [company]);
  if (!found) throw new OperatorError("The source has no such company. Nothing was changed");
  const typed =
    name ?? (process.stdin.isTTY ? await ask(`The company is ${found.name}. Type its name to move it: `) : "");
  if (typed === found.name) return;
  const not = typed === "" ? "" : `, not ${JSON.stringify(typed)}`;
  throw new OperatorError(
    `${company} is ${JSON.stringify(found.name)}${not}: name it with --company. Nothing was changed`,
  );
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

function report({ tables, accounts }: Moved, company: string, oldSide: OldSide): string {
  const lines = (tables ?? []).map(({ name, rows }) => `${String(rows).padStart(10)}  ${name}`);
  if (accounts && accounts.there > accounts.carried)
    lines.push(
      `${accounts.carried} of ${accounts.there} accounts are known to the target: invite the other people there`,
    );
  if (!tables) lines.push("An earlier run had brought everything to the target already");
  return [...lines, `${company} is served by the target; the source is ${oldSide}`].join("\n");
}

/** The part of an error that may be shown: only our own and PostgreSQL's messages contain no address. */
function shown(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  if (error instanceof pg.DatabaseError) return `PostgreSQL: ${error.message} (${error.code})`;
  const { code, name } = error as { code?: string; name: string };
  return `The connection to a database was lost (${code ?? name}). Run this command again`;
}

async function main(): Promise<void> {
  const progress = progressOn(process.stderr);
  const databases: Database[] = [];
  try {
    const given = readArguments(process.argv.slice(2));
    const { company, oldSide } = given;
    const source = await openDatabase("SOURCE_DATABASE_URL");
    databases.push(source);
    const target = await openDatabase("TARGET_DATABASE_URL");
    databases.push(target);
    await confirmName(source, given);
    const moved = await moveCompany({ source, target, company, oldSide, progress: progress.show });
    console.log(report(moved, company, oldSide));
  } catch (error) {
    progress.warn(shown(error));
    process.exitCode = 1;
  } finally {
    await Promise.all(databases.map((database) => database.end()));
  }
}

if (import.meta.main) await main();
