/** Programs that people know by another name than the one in their requests. */
const known: [beginning: string, name: string][] = [
  ["Microsoft.Data.Mashup", "Power BI or Excel"],
  ["Google-Apps-Script", "Google Sheets"],
  ["Python-urllib", "Python"],
];

/** What a person calls a program that is known from its `User-Agent`, such as `python-requests/2.32.3`: without its version. */
export const clientName = (client: string): string =>
  known.find(([beginning]) => client.startsWith(beginning))?.[1] ?? client.replace(/\/\S*/, "");
