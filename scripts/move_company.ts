// npm run move-company -- <company id> --leave closed|readable: moves a company to another project
// (docs/moving-a-company.md).
import { parseArgs } from "node:util";
import pg from "pg";
import { progressOn } from "../cli/src/progress.ts";
import { type Database, openDatabase, Problem } from "./move/database.ts";
import { type Moved, moveCompany, type OldSide } from "./move/move.ts";

const usage = `Usage: npm run move-company -- <company id> --leave closed|readable
  --leave closed     then requests with the company's keys get a 401 from the source
  --leave readable   then its keys still read from the source what was there when it moved
SOURCE_DATABASE_URL and TARGET_DATABASE_URL are the addresses of the two databases: direct connections, or session poolers, of the role postgres.`;

function readArguments(args: string[]): { company: string; oldSide: OldSide } {
  try {
    const { values, positionals } = parseArgs({ args, options: { leave: { type: "string" } }, allowPositionals: true });
    const [company = "", ...others] = positionals;
    if (others.length > 0 || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(company))
      throw new Error("Name one company, by its id");
    if (values.leave !== "closed" && values.leave !== "readable") throw new Error("--leave must be closed or readable");
    return { company: company.toLowerCase(), oldSide: values.leave };
  } catch (error) {
    throw new Problem(`${(error as Error).message}\n${usage}`);
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
  if (error instanceof Problem) return error.message;
  if (error instanceof pg.DatabaseError) return `PostgreSQL: ${error.message} (${error.code})`;
  const { code, name } = error as { code?: string; name: string };
  return `The connection to a database was lost (${code ?? name}). Run this command again`;
}

async function main(): Promise<void> {
  const progress = progressOn(process.stderr);
  const databases: Database[] = [];
  try {
    const { company, oldSide } = readArguments(process.argv.slice(2));
    const source = await openDatabase("SOURCE_DATABASE_URL");
    databases.push(source);
    const target = await openDatabase("TARGET_DATABASE_URL");
    databases.push(target);
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
