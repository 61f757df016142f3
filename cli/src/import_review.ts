// What an import would change, for a person who reviews it before it is sent.
import Papa from "papaparse";
import type { Catalogue, Change } from "./catalogue.ts";
import { isMissing } from "./cell_rules.ts";
import { printable, quoted } from "./errors.ts";
import type { Sent } from "./reward_file.ts";
import { writeWhole } from "./whole_file.ts";

const maxShown = 20;

/** A reward to send, and the line of the file that has it. */
export interface Placed {
  line: number;
  reward: Sent;
}

/** Some of these lines, and how many more there are. */
export function some(lines: readonly string[], count = lines.length, max = maxShown): string[] {
  const shown = lines.slice(0, max);
  return [...shown, ...(count > shown.length ? [`  and ${count - shown.length} more`] : [])];
}

/** Rewards by name. */
export const named = (rewards: readonly Sent[]): string[] =>
  rewards.map(({ external_id, name }) => `  ${quoted(String(external_id))} ${printable(String(name))}`);

/** Texts that a program may have written for a missing value, in lines. */
export const doubts = (file: string, rewards: readonly Placed[]): string[] =>
  rewards.flatMap(({ line, reward }) =>
    Object.entries(reward)
      .filter(([, value]) => typeof value === "string" && isMissing.test(value))
      .map(
        ([field, value]) =>
          `${file}:${line}: ${field} ${shown(value)} looks like a missing value: if it is one, remove it`,
      ),
  );

/** What an import would change, for a person who reviews it before it is sent. */
export class Review {
  readonly #created: Placed[] = [];
  readonly #changed: (Placed & { changes: Change[] })[] = [];
  /** New ids that look like known ones, in lines. */
  readonly warnings: string[] = [];

  constructor(file: string, sent: readonly Placed[], catalogue: Catalogue) {
    for (const { line, reward } of sent) {
      const changes = catalogue.changes(reward);
      if (changes === null) this.#created.push({ line, reward });
      else if (changes.length > 0) this.#changed.push({ line, reward, changes });
      const id = String(reward.external_id);
      const likeness = catalogue.likeness(id);
      if (likeness !== undefined)
        this.warnings.push(`${file}:${line}: external_id ${quoted(id)} is new, but looks like ${likeness}`);
    }
  }

  /** What is new, and what changes, field by field: at most 20 lines of each, or all. */
  lines(showsAll: boolean): string[] {
    const max = showsAll ? Number.POSITIVE_INFINITY : maxShown;
    const created = this.#created.map(({ reward: { external_id, ...fields } }) => {
      const values = Object.entries(fields).map(([field, value]) => `${field}: ${shown(value)}`);
      return `  ${shown(external_id)} ${values.join(", ")}`;
    });
    const changed = this.#changed.flatMap(({ reward, changes }) =>
      changes.map(
        ({ field, old, new: now }) => `  ${quoted(String(reward.external_id))} ${field}: ${shown(old)} → ${shown(now)}`,
      ),
    );
    return [
      ...(created.length > 0 ? ["New:", ...some(created, created.length, max)] : []),
      ...(changed.length > 0 ? ["Changed:", ...some(changed, changed.length, max)] : []),
    ];
  }

  /** Writes everything to a CSV file for a spreadsheet: a line for each field that is new or changes. */
  async write(file: string): Promise<void> {
    const fieldsOf = ({ reward }: Placed) =>
      Object.entries(reward).map(([field, value]) => ({ field, old: undefined, new: value }));
    const rows = [
      ...this.#created.map((row) => ({ ...row, kind: "new", changes: fieldsOf(row) })),
      ...this.#changed.map((row) => ({ ...row, kind: "changed" })),
    ].flatMap(({ kind, line, reward, changes }) =>
      changes.map(({ field, old, new: now }) => [kind, line, reward.external_id, field, old, now]),
    );
    const text = Papa.unparse(
      { fields: ["change", "line", "external_id", "field", "old", "new"], data: rows },
      { escapeFormulae: /^[=+\-@\t\r]/ },
    );
    await writeWhole(file, false, (append) => append(`\ufeff${text}\r\n`));
  }
}

const shown = (value: unknown): string => (typeof value === "string" ? quoted(value) : String(value));
