import { shownName } from "../../functions/public-api/answers/errors.ts";
import { CliError, quoted } from "./errors.ts";
import type { Finding } from "./reward_csv.ts";

const maxLinesShown = 20;

/** The bad lines of a file: the first ones in full, the others summed up by field, and each hint once. */
export class BadLines {
  readonly #file: string;
  readonly #shown: string[] = [];
  #others = 0;
  /** How many of the other lines have a problem with a field. */
  readonly #fields = new Map<string, number>();
  /** The first example of each rule. */
  readonly #hints = new Map<string, string>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Notes what is wrong with a line, if anything is. */
  add(line: number, findings: readonly Finding[]): void {
    if (findings.length === 0) return;
    for (const { hint } of findings) if (hint && !this.#hints.has(hint.rule)) this.#hints.set(hint.rule, hint.example);
    if (this.#shown.length < maxLinesShown) {
      this.#shown.push(`${this.#file}:${line}: ${findings.map(said).join("; ")}`);
      return;
    }
    this.#others++;
    for (const field of new Set(findings.map(({ field }) => shownName(field))))
      this.#fields.set(field, (this.#fields.get(field) ?? 0) + 1);
  }

  /** @throws CliError if a line is bad */
  check(): void {
    if (this.#shown.length === 0) return;
    const fields = [...this.#fields].map(([field, lines]) => `${field} in ${lines}`).join(", ");
    const others = this.#others > 0 ? [`and ${this.#others} more bad lines: ${fields}`] : [];
    const hints = [...this.#hints].map(([rule, example]) => `${rule}: ${example}`);
    throw new CliError([...this.#shown, ...others, ...hints, "Nothing was sent"].join("\n"));
  }
}

/** A finding in words, with the value, and with the heading if the file has its own. */
function said({ field, words, heading = field, value }: Finding): string {
  const column = heading === field ? "" : ` (column ${quoted(heading)})`;
  return `${shownName(field)}${column} ${words}${value === undefined ? "" : `: ${value}`}`;
}
