// The rules for cells in the script that imports rewards from Google Sheets: those of the command line.
import { hasThousands, isFalse, isMissing, isNumber, isTrue, refusals } from "../../cli/src/cell_rules.ts";

export const importScript = "docs/connect/import-rewards.gs";

const rules = (): string => `const IS_NUMBER = ${isNumber};
const HAS_THOUSANDS = ${hasThousands};
const IS_TRUE = ${isTrue};
const IS_FALSE = ${isFalse};
const IS_MISSING = ${isMissing};
const REFUSALS = [
${refusals.map(([fields, cells, words]) => `  [${fields}, ${cells}, ${JSON.stringify(words)}],\n`).join("")}];
`;

/** Writes the rules into the script. */
export const withCellRules = (script: string): string =>
  script.replace(/(?<=^\/\/ Rules for [^\n]*\n).*?(?=^\/\/ The end of the rules)/ms, rules);
