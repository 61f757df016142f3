// The catalogue as the API has it, to compare a file with.
import { rewardFields } from "../../functions/public-api/import/reward_rows.ts";
import type { Connection } from "./connection.ts";
import { counted, printable, quoted } from "./errors.ts";
import { formats } from "./formats.ts";
import { datesOf, isDate, looksOf } from "./id_looks.ts";
import { everyColumn, rewards } from "./lists.ts";
import type { Finding } from "./reward_csv.ts";
import type { CheckedRow, Exported, Sent } from "./reward_file.ts";
import { walk } from "./walk.ts";

/** A reward of the catalogue. */
export interface Reward {
  [field: string]: unknown;
  id: string;
  external_id: string | null;
  name: string;
  points_cost: number;
  is_archived: boolean;
  created_at: string;
}

/** Fields that may be null: an empty cell of an export clears them. */
const clearable = Object.entries(rewardFields).flatMap(([name, schema]) =>
  schema.safeParse(null).success ? [name] : [],
);

/** How a reward that is sent differs from the catalogue in a field. */
export interface Change {
  field: string;
  old: unknown;
  new: unknown;
}

export class Catalogue {
  readonly #companyName: string;
  readonly #byId = new Map<string, Reward>();
  readonly #byExternalId = new Map<string, Reward>();
  /** How many rows differ from the catalogue in a field that is left as it is. */
  readonly #unwritten = new Map<string, number>();
  /** How many rows without an external_id differ from it. */
  #unmatched = 0;
  /** The external_ids as they look when a spreadsheet has damaged them. */
  readonly #looks = new Map<string, string>();

  constructor(rewards: Iterable<Reward>, companyName: string) {
    this.#companyName = companyName;
    for (const reward of rewards) {
      this.#byId.set(reward.id, reward);
      if (reward.external_id === null) continue;
      this.#byExternalId.set(reward.external_id, reward);
      for (const look of [...looksOf(reward.external_id), ...datesOf(reward.external_id)])
        this.#looks.set(look, reward.external_id);
    }
  }

  /** Fetches all rewards, archived ones too. */
  static async fetch(connection: Connection, companyName: string): Promise<Catalogue> {
    const found: Reward[] = [];
    const filters = { include_archived: "true", ...everyColumn(rewards) };
    for await (const { rows } of walk(connection, rewards, filters, formats.json))
      for (const { text } of rows) found.push(JSON.parse(text));
    return new Catalogue(found, companyName);
  }

  /** The rewards that an import once made and that are not archived. */
  current(): Reward[] {
    return [...this.#byExternalId.values()].filter(({ is_archived }) => !is_archived);
  }

  /**
   * Compares a row of an export with the catalogue, and counts what an import does not write.
   * @param asNew whether a reward of which the catalogue knows neither id is a new one
   * @returns what is wrong
   */
  compare({ reward, exported, isLeftOut }: CheckedRow, asNew: boolean): Finding[] {
    if (exported === null) return [];
    const same = this.#byId.get(exported.id);
    const isKnown = this.#byExternalId.has(String(reward.external_id));
    if (!same && exported.id !== "" && (!asNew || isKnown)) return [unknownId(exported.id, this.#companyName)];
    if (same && !isLeftOut && same.external_id !== reward.external_id) return [otherId(same)];
    if (!isLeftOut) this.#countUnwritten(reward, exported, same);
    else if (same && (exported.emptied.some((name) => isFilled(same[name])) || differs(reward, same)))
      this.#unmatched++;
    return [];
  }

  #countUnwritten(reward: Sent, { emptied, created_at }: Exported, same: Reward | undefined): void {
    for (const name of this.#emptied(reward, emptied)) if (!clearable.includes(name)) this.#count(name);
    if (same && same.created_at !== created_at) this.#count("created_at");
  }

  /** How a reward that is sent differs from the catalogue; null if it is new. */
  changes(reward: Sent): Change[] | null {
    const known = this.#byExternalId.get(String(reward.external_id));
    if (known === undefined) return null;
    return Object.keys(reward).flatMap((field) =>
      reward[field] === known[field] ? [] : [{ field, old: known[field], new: reward[field] }],
    );
  }

  /** What a new external_id looks like, if a spreadsheet may have made it of another one. */
  likeness(externalId: string): string | undefined {
    if (this.#byExternalId.has(externalId)) return undefined;
    const looks = [...looksOf(externalId), ...(isDate(externalId) ? datesOf(externalId) : [])];
    const known = looks.map((look) => this.#looks.get(look)).find((id) => id !== undefined);
    if (known !== undefined) return quoted(known);
    return isDate(externalId) ? "a date that a spreadsheet made of an ID" : undefined;
  }

  /** The reward to send for a row: with null for each field whose cell was emptied in an export. */
  rewardOf({ reward, exported }: CheckedRow): Sent {
    const emptied = this.#emptied(reward, exported?.emptied ?? []).filter((name) => clearable.includes(name));
    return { ...reward, ...Object.fromEntries(emptied.map((name) => [name, null])) };
  }

  /** Those of these fields that have a value in the catalogue. */
  #emptied({ external_id }: Sent, fields: string[]): string[] {
    const known = this.#byExternalId.get(String(external_id));
    return known === undefined ? [] : fields.filter((name) => isFilled(known[name]));
  }

  #count(name: string): void {
    this.#unwritten.set(name, (this.#unwritten.get(name) ?? 0) + 1);
  }

  /** What the compared rows have that will not be written, in lines for the user. */
  unwrittenLines(): string[] {
    const fields = [...this.#unwritten].map(
      ([name, rows]) => `${name} is left as it is in the catalogue, and differs in ${counted(rows, "row")}`,
    );
    const unmatched = `Rewards that are left out, and differ from the catalogue: ${this.#unmatched}`;
    return [...fields, ...(this.#unmatched > 0 ? [unmatched] : [])];
  }
}

/** Whether a value of the catalogue makes a cell that is not empty. */
const isFilled = (value: unknown): boolean => value !== null && value !== "";

const differs = (reward: Sent, known: Reward): boolean =>
  Object.entries(reward).some(([name, value]) => known[name] !== value);

function otherId({ external_id }: Reward): Finding {
  const right = external_id === null ? "empty" : quoted(external_id);
  return {
    field: "external_id",
    words: `must be ${right}, as the reward with this id has it`,
    hint: {
      rule: "A spreadsheet may have changed the column external_id",
      example: "take the file from before and format that column as text; a new reward has no id and no created_at",
    },
  };
}

function unknownId(id: string, companyName: string): Finding {
  return {
    field: "id",
    words: "must be one of this catalogue, or empty",
    value: quoted(id),
    hint: {
      rule: `This may be an export of another company than ${printable(companyName)}`,
      example: "check PUBLIC_API_KEY; --as-new imports rewards whose id and external_id the catalogue does not know",
    },
  };
}
