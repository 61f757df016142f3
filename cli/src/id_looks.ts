// What a spreadsheet makes of an ID: a number without zeros, or a date.

/** The names of each month, as spreadsheets of several languages show or read them. */
const months = [
  "jan january januar janv ene, feb february februar févr fev, mar march mär märz mrz mars mrt, apr april avr abr",
  "may mai mei, jun june juni juin giu, jul july juli juil lug, aug august août ago, sep sept september",
  "oct october okt oktober ott, nov november, dec december dez dezember déc dic",
].flatMap((names) => names.split(", ").map((month) => month.split(" ")));

const isYear = (number: number): boolean => number >= 1900 && number < 2100;

/** The numbers of a date of two or three parts, such as 3-12, SEPT2, or 2026-12-03 00:00:00; none for other IDs. */
function dateOf(id: string): number[] {
  const parts = id.replace(/[ T]\d\d?:\d\d.*$/s, "").match(/\p{L}+|\d+|[^-./ ]/gu) ?? [];
  const numbers = parts.map((part) =>
    /^\d/.test(part) ? Number(part) : months.findIndex((names) => names.includes(part.toLowerCase())) + 1,
  );
  const isDate = numbers.every((n) => (n > 0 && n < 100) || isYear(n)) && numbers.some((n) => n <= 12);
  return isDate && [2, 3].includes(numbers.length) ? numbers : [];
}

/** An ID as spreadsheets and keyboards change it: IDs that share one of these texts may be the same. */
export function looksOf(id: string): string[] {
  const plain = id
    .toLowerCase()
    .replace(/(:\d\d):00( am)?$/, "$1")
    .replace(/[^\p{L}\p{N}]/gu, "");
  // Zeros in front, and digits behind the 15th, are lost.
  const cut = plain.replace(/^0+(?=.)/, "").replace(/^(\d{15})\d+$/, "$1");
  return /^\d+([.,]\d+)?(e\d+)?$/i.test(id) ? [cut, `=${Number(id.replace(",", "."))}`] : [cut];
}

/** An ID as a date, with and without its year, whatever the order of its parts; nothing for other IDs. */
export function datesOf(id: string): string[] {
  return [dateOf(id), dateOf(id).filter((number) => !isYear(number))]
    .map((date) => date.map((number) => number % 100).sort((a, b) => a - b))
    .flatMap((date) => (date.length > 1 ? [date.join("-")] : []));
}

/** Whether an ID is a date as spreadsheets write it: with the name of its month, or with a year of four digits. */
export function isDate(id: string): boolean {
  const numbers = dateOf(id);
  const hasName = numbers.length > 0 && /\d\.?[-./ ]\p{L}{3}|\p{L}{3}\.?[-./ ]\d/u.test(id);
  return hasName || (numbers.length === 3 && numbers.some(isYear));
}
