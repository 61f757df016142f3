// What spreadsheets and other programs leave in cells. docs/connect/import-rewards.gs has a copy (npm run generate).

/** How to mend a file: what holds for every cell of its kind, and what to do, with a cell as the example. */
export interface Hint {
  rule: string;
  example: string;
}

/** A number, also with a decimal comma. */
export const isNumber = /^-?\d+([.,]\d+)?([eE]\d+)?$/;

/** A number such as 1.000, 1,000 or 1 000, which means a thousand or one, depending on the country. */
export const hasThousands = /^-?[1-9]\d{0,2}([.,'\u2019 \u00a0\u202f]\d{3})+$/;

/** A number as a spreadsheet shows it when it is long. Its last digits are lost. */
export const isShortened = /^-?\d([.,]\d+)?E[+-]\d+$/i;

/** The words of LibreOffice and Excel in 16 languages. */
export const isTrue =
  /^(true|wahr|vrai|verdadero|verdadeiro|vero|waar|prawda|sant|sand|sann|tosi|pravda|igaz|истина|doğru)$/iu;
export const isFalse = /^(false|falsch|faux|falso|onwaar|fałsz|falskt?|usann|epätosi|nepravda|hamis|ложь|yanl[ıi]ş)$/iu;

/** What programs write for a missing value. */
export const isMissing = /^([(<[]?null[)>\]]?|<?na>?|n\/a|nan|nat|none|undefined|\\n|\[object object\])$/i;

/** Blanks and invisible characters at the ends of a text. */
export const edges =
  /^[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]+|[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]+$/u;

export const shortened: Hint = {
  rule: "A spreadsheet has cut a long number",
  example: "take the file from before, and format that column as text",
};
const excel = { rule: "A file of export --excel is for reading", example: "export without --excel, and import that" };
const pandas = { rule: "A program has made numbers of the IDs", example: "in pandas, read them with dtype=str" };

const [all, ids] = [/^/, /^external_id$/];

/** What is refused: in which fields, which cells, in words, and how to mend a file. The first rule that a cell breaks counts. */
export const refusals: [fields: RegExp, cells: RegExp, words: string, hint?: Hint][] = [
  [all, /^'[=+\-@\t\r]/, "must not begin with ' before =, +, -, or @", excel],
  [all, /^(#[¡¿]?[\p{Lu}/0]{2,}[!?]|#N\/[A-Z]!?|#n\/a|#NV|Err:\d{3})$/u, "must not be the error of a formula"],
  [all, /^Loading(\.{3}|…)$/i, "must not be a formula that is still loading"],
  [/^(?!description$)/, edges, "must not begin or end with a blank or an invisible character"],
  [ids, isShortened, "must be the whole ID, not a shortened number", shortened],
  [ids, /^(['‘’‚‛=].*|["“”„‟«»‹›].*["“”„‟«»‹›])$/s, "must be the ID alone, without quotes and ="],
  [ids, /^\d+\.0$/, "must be the ID alone, without .0", pandas],
  [ids, isMissing, "must be an ID, not a word for a missing value"],
];
