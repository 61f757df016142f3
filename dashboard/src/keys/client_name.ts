/** How programs begin that people know by another name, or whose first steps we have (`ways.tsx`). */
const known: [beginning: string, name: string | null, way: string][] = [
  ["Microsoft.Data.Mashup", "Power BI or Excel", "power-bi"],
  ["Google-Apps-Script", "Google Sheets", "google-sheets"],
  ["Python-urllib", "Python", "python"],
  ["python", null, "python"],
  ["node", null, "node"],
];

const find = (client: string) => known.find(([beginning]) => client.startsWith(beginning));

/** What a person calls a program that is known from its `User-Agent`, such as `python-requests/2.32.3`: without its version. */
export const clientName = (client: string): string => find(client)?.[1] ?? client.replace(/\/\S*/, "");

/** The name of the first steps for a program, if there are some: of our own for what its command does. */
export const wayOf = (client: string | null): string | undefined =>
  / (sync|export)$/.test(client ?? "") ? "nightly-copy" : find(client ?? "")?.[2];
