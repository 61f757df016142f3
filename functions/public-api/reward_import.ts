import { badRequest } from "./responses.ts";
import { checkRow, readRows, type SentRow } from "./reward_rows.ts";

const mostRewards = 500;
/** The limit of a body in bytes, and the text of the 400 for a larger one. */
export const importLimit = [8 * 1024 * 1024, `body must be at most 8 MiB and ${mostRewards} rewards`] as const;

/**
 * Reads the text of an import and checks every row (`docs/api.md`, Import). Returns the rows as `upsert_rewards` takes
 * them: known fields only, `points_cost` rounded to a whole number, optional fields only where they were sent.
 * Throws a 400 ApiError that names the rows and their problems.
 */
export function readRewards(text: string): Record<string, unknown>[] {
  if (text === "") throw badRequest(["body must not be empty"]);

  const problems: string[] = [];
  const firstWith = new Map<unknown, number>();
  const checked: Record<string, unknown>[] = [];
  const visit = (sent: SentRow, index: number) => {
    const { row, problems: ofRow } = checkRow(sent);
    const id = row.external_id;
    const first = firstWith.get(id);
    if (first !== undefined) ofRow.unshift(`external_id must be unique in the request, rewards[${first}] has it too`);
    else if (id !== undefined) firstWith.set(id, index);
    for (const problem of ofRow) problems.push(`rewards[${index}]: ${problem}`);
    checked.push(row);
  };
  const { rows, more } = readRows(text, mostRewards, visit);
  if (rows === 0) throw badRequest(["body must not be empty"]);
  if (rows > mostRewards) throw badRequest([`body must hold at most ${mostRewards} rewards`]);
  if (problems.length > 0) throw badRequest(problems, more, reasonOf(problems[0]));
  return checked;
}

/** The problem of a row for the log: without the places of rows and without a name from the caller. */
function reasonOf(problem = ""): string {
  const rule = problem.replace(/^rewards\[\d+\]: |, rewards\[\d+\] has it too$/g, "");
  return rule.endsWith(" must be left out") ? "a field must be left out that a reward does not have" : rule;
}
