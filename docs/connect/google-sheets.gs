// The public data API in Google Sheets (google-sheets.md): paste it under Extensions > Apps Script.

/** The base address, as your dashboard shows it. */
const BASE_ADDRESS = "https://<project>.supabase.co/functions/v1/public-api";

/** The zone in which a month begins. */
const TIME_ZONE = "Europe/Berlin";

/** The lists, and the columns that are only sent on request: the ids that join the lists. */
const LISTS = {
  members: {},
  teams: {},
  activity: { include: "sender_id,receiver_id,category_id" },
  categories: {},
  rewards: { include: "external_id" },
  "day-ratings": { include: "team_name" },
  "pulse-responses": { include: "question_id" },
};

/** The rows of one request, and whether there are more. Retries while the API is busy: six requests at most. */
function ask(path, parameters) {
  const apiKey = PropertiesService.getScriptProperties().getProperty("PUBLIC_API_KEY");
  if (!apiKey) throw new Error("Add PUBLIC_API_KEY, the key, under Project Settings > Script Properties");
  const query = Object.entries({ format: "csv", escape_formulas: "true", ...LISTS[path], ...parameters })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  for (let attempt = 1; ; attempt++) {
    const response = UrlFetchApp.fetch(`${BASE_ADDRESS}/${path}?${query}`, {
      headers: { "X-API-Key": apiKey.trim() },
      followRedirects: false, // followed, one would carry the key to another host
      muteHttpExceptions: true,
    });
    const status = response.getResponseCode();
    const text = response.getContentText("UTF-8");
    const header = (name) => Object.entries(response.getHeaders()).find(([other]) => other.toLowerCase() === name)?.[1];
    if (status === 200) return { ...readCsv(text), more: header("x-has-more") !== "false" };
    if ((status !== 429 && status < 500) || attempt === 6) throw new Error(`${status}: ${text}`);
    Utilities.sleep(Math.min(Number(header("retry-after") ?? 2 ** (attempt - 1)) || 1, 120) * 1000);
  }
}

function readCsv(text) {
  const [header, ...rows] = Utilities.parseCsv(text).filter((cells) => cells.join("") !== "");
  if (rows.some((cells) => cells.length !== header.length)) throw new Error("A row was not read in the header's columns");
  return { header, rows };
}

/** Every row of a list, newest first. The id is the first column. */
function whole(list, filters) {
  const first = ask(list, { limit: 1000, ...filters });
  const rows = first.rows;
  const time = first.header.findIndex((name) => name === "timestamp" || name === "created_at");
  for (let more = first.more; more; ) {
    const last = rows[rows.length - 1];
    const page = ask(list, { limit: 1000, ...filters, starting_after: `${last[time]}_${last[0]}` });
    rows.push(...page.rows);
    more = page.more;
  }
  return { header: first.header, rows };
}

function sheetOf(list) {
  const spreadsheet = SpreadsheetApp.getActiveSpreadsheet();
  return spreadsheet.getSheetByName(list) ?? spreadsheet.insertSheet(list);
}

/**
 * Writes rows into the first columns of a sheet, from a row on. Everything right of them is yours, and stays. The first
 * `texts` columns are text: Sheets would make numbers and dates of some.
 */
function write(sheet, row, rows, texts = rows[0].length) {
  const missing = row - 1 + rows.length - sheet.getMaxRows();
  if (missing > 0) sheet.insertRowsAfter(sheet.getMaxRows(), missing);
  sheet.getRange(row, 1, rows.length, texts).setNumberFormat("@");
  sheet.getRange(row, 1, rows.length, rows[0].length).setValues(rows);
}

function fill(list, { header, rows }, texts) {
  const sheet = sheetOf(list);
  const others = sheet.getRange(1, 1, 1, header.length).getValues()[0].filter((cell) => cell !== "" && !header.includes(cell));
  if (others.length > 0) throw new Error(`The sheet ${list} has columns of yours among its first ${header.length}: ${others.join(", ")}`);
  write(sheet, 1, [header, ...rows], texts);
  // The rows of the last time, below the new ones. Cleared before, a run that breaks would leave the sheet empty.
  const below = sheet.getMaxRows() - rows.length - 1;
  if (below > 0) sheet.getRange(rows.length + 2, 1, below, header.length).clearContent();
}

/** Two triggers may run at the same time: the second waits for the first. */
function inTurn(run) {
  const lock = LockService.getScriptLock();
  lock.waitLock(300000);
  try {
    run();
  } finally {
    lock.releaseLock();
  }
}

/** Kudos per month and team who received them, in the sheet "Kudos per team". */
function kudosPerTeam() {
  totals("Kudos per team", "activity/counts", "month,receiver_team", ["month", "team", "kudos"]);
}

/** Ratings and their average per month and team, in the sheet "Mood per team". */
function moodPerTeam() {
  totals("Mood per team", "day-ratings/averages", "month,team", ["month", "team", "ratings", "average"]);
}

function totals(name, path, by, header) {
  inTurn(() => {
    const { rows } = ask(path, { by, time_zone: TIME_ZONE });
    const shown = rows.map(([month, , team, ...numbers]) => [month.slice(0, 7), team, ...numbers.map(Number)]);
    fill(name, { header, rows: shown }, 2);
  });
}

function onePage() {
  inTurn(() => fill("activity", ask("activity", { limit: 100 })));
}

function wholeLists() {
  inTurn(() => {
    for (const list of Object.keys(LISTS)) fill(list, whole(list, {}));
  });
}

function newKudos() {
  inTurn(addKudos);
}

function addKudos() {
  const sheet = sheetOf("activity");
  // Id and timestamp, as far down as the data goes: columns of yours may go further.
  const cells = sheet.getRange(1, 1, sheet.getMaxRows(), 2).getValues();
  while (cells.length > 0 && cells[cells.length - 1][0] === "") cells.pop();
  const had = cells.slice(1).filter(([id]) => id !== "");
  if (had.length === 0) return fill("activity", whole("activity", {}));
  const ids = new Set(had.map(([id]) => id));
  const newest = had.map(([, timestamp]) => timestamp).reduce((one, other) => (one > other ? one : other));
  const { rows } = whole("activity", { since: newest.slice(0, 10) });
  const added = rows.filter(([id]) => !ids.has(id));
  if (added.length > 0) write(sheet, cells.length + 1, added);
}
