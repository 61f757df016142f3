import { badRequest, shownName } from "../answers/errors.ts";
import { json, type Outcome } from "../answers/responses.ts";
import { asText } from "../database/data_api.ts";
import { bodyLimits } from "../limits.ts";
import type { Visit } from "../line/visit.ts";
import type { WaitingLine } from "../line/waiting_line.ts";
import { parseJson } from "../request/json_text.ts";
import { readParameters } from "../request/parameters.ts";
import { checkRow, countFields, type RowProblem, rewardFields, rowsOf } from "./reward_rows.ts";

/** Imports the rewards of a body, or only checks and counts them. It is read only after the database has verified the key. */
export function importRewards(visit: Visit, line: WaitingLine): Promise<Outcome> {
  return line.afterVerifying(visit, async () => {
    const { dry_run } = readParameters(visit.endpoint, visit.query).args;
    return await line.bodies.hold(visit, visit.request, bodyLimits.import, async (take) => {
      let rewards: Record<string, unknown>[] | undefined;
      // Only when it is its turn: rows take more memory than a body, and wait as a body, whose room is bounded.
      const args = () => {
        rewards ??= readRewards(take());
        return { rewards: JSON.stringify(rewards), dry_run };
      };
      const reply = await line.call(visit, { rpc: "upsert_rewards", args, read: asText });
      return { answer: json(reply.body), logged: { ...reply.logged, rows: rewards?.length ?? 0 } };
    });
  });
}

/** The checked rows of an import (`docs/api.md`, Import). Throws a 400 ApiError that names rows and their problems. */
export function readRewards(text: string): Record<string, unknown>[] {
  const rows = text === "" ? [] : rowsOf(parse(text));
  if (rows.length === 0) throw badRequest(["body must not be empty"]);
  if (rows.length > bodyLimits.rewards) throw badRequest([`body must hold at most ${bodyLimits.rewards} rewards`]);
  const problems: (RowProblem & { index: number })[] = [];
  const firstWith = new Map<unknown, number>();
  const checked = rows.map((sent, index) => {
    const { row, problems: ofRow } = checkRow(sent);
    const id = row.external_id;
    const first = firstWith.get(id);
    const shared = `must be unique in the request, rewards[${first}] has it too`;
    if (first !== undefined) problems.push({ index, field: "external_id", words: shared });
    else if (id !== undefined) firstWith.set(id, index);
    for (const problem of ofRow) problems.push({ index, ...problem });
    return row;
  });
  const [first] = problems;
  if (first === undefined) return checked;
  const said = problems.map(({ index, field, words }) => `rewards[${index}]: ${shownName(field)} ${words}`);
  throw badRequest(said, reasonOf(first));
}

/** The problem of a row for the log: without the places of rows and without a name from the caller. */
function reasonOf({ field, words }: RowProblem): string {
  const isUnknown = field !== "row" && !Object.hasOwn(rewardFields, field);
  if (isUnknown) return "a field must be left out that a reward does not have";
  return `${field} ${words.replace(/, rewards\[\d+\] has it too$/, "")}`;
}

/**
 * Parses a body that has few enough values: of 8 MiB of brackets JSON.parse would make objects for seconds. In each
 * object it keeps the last of two fields with the same name, so that the names in the text are counted too.
 */
function parse(text: string): unknown {
  let [isInText, values, names] = [false, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) isInText = !isInText;
    else if (isInText) at += Number(code === 0x5c);
    else if (code === 0x2c || code === 0x3a || code === 0x5b || code === 0x7b) {
      names += Number(code === 0x3a);
      if (++values > bodyLimits.values) throw badRequest([`body must hold at most ${bodyLimits.values} values`]);
    }
  }
  const body = parseJson(text);
  if (countFields(body) < names) throw badRequest(["body must not have a field twice"]);
  return body;
}
