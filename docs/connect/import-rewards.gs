// Imports rewards from Google Sheets (import-rewards.md): paste it under Extensions > Apps Script.

/** The base address, as your dashboard shows it. */
const BASE_ADDRESS = "https://<project>.supabase.co/functions/v1/public-api";

/** The fields that are numbers. A cell of any other field is sent as text, except that of `is_archived`. */
const NUMBERS = ["points_cost", "stock_count"];

/** One request takes at most so many rewards. */
const REWARDS_PER_REQUEST = 500;

// Rules for cells, as the command line has them: fields, cells, and what is wrong with them.
const IS_NUMBER = /^-?\d+([.,]\d+)?([eE]\d+)?$/;
const HAS_THOUSANDS = /^-?[1-9]\d{0,2}([.,'\u2019 \u00a0\u202f]\d{3})+$/;
const IS_TRUE = /^(true|wahr|vrai|verdadero|verdadeiro|vero|waar|prawda|sant|sand|sann|tosi|pravda|igaz|истина|doğru)$/iu;
const IS_FALSE = /^(false|falsch|faux|falso|onwaar|fałsz|falskt?|usann|epätosi|nepravda|hamis|ложь|yanl[ıi]ş)$/iu;
const IS_MISSING = /^([(<[]?null[)>\]]?|<?na>?|n\/a|nan|nat|none|undefined|\\n|\[object object\])$/i;
const REFUSALS = [
  [/^/, /^'[=+\-@\t\r]/, "must not begin with ' before =, +, -, or @"],
  [/^/, /^(#[¡¿]?[\p{Lu}/0]{2,}[!?]|#N\/[A-Z]!?|#n\/a|#NV|Err:\d{3})$/u, "must not be the error of a formula"],
  [/^/, /^Loading(\.{3}|…)$/i, "must not be a formula that is still loading"],
  [/^(?!description$)/, /^[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]+|[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]+$/u, "must not begin or end with a blank or an invisible character"],
  [/^external_id$/, /^-?\d([.,]\d+)?E[+-]\d+$/i, "must be the whole ID, not a shortened number"],
  [/^external_id$/, /^(['‘’‚‛=].*|["“”„‟«»‹›].*["“”„‟«»‹›])$/s, "must be the ID alone, without quotes and ="],
  [/^external_id$/, /^\d+\.0$/, "must be the ID alone, without .0"],
  [/^external_id$/, /^([(<[]?null[)>\]]?|<?na>?|n\/a|nan|nat|none|undefined|\\n|\[object object\])$/i, "must be an ID, not a word for a missing value"],
];
// The end of the rules.

/** The menu. Google calls this when the spreadsheet is opened. */
function onOpen() {
  const menu = SpreadsheetApp.getUi().createMenu("Rewards");
  menu.addItem("Try, write nothing", "tryImport").addItem("Import", "importRewards").addToUi();
}

function tryImport() {
  inTurn(() => run(true));
}

function importRewards() {
  inTurn(() => run(false));
}

/** Two people may click at the same time: the second waits for the first. */
function inTurn(work) {
  const lock = LockService.getScriptLock();
  lock.waitLock(300000);
  try {
    work();
  } finally {
    lock.releaseLock();
  }
}

/** Checks all rows of the open sheet, and imports them unless one is wrong. The column Result says what became of each. */
function run(isDryRun) {
  const sheet = readSheet(SpreadsheetApp.getActiveSheet());
  const { rows } = sheet;
  show(sheet, "Result", new Map());
  const problems = findProblems(rows);
  const tried = sendAll(rows.filter(({ row }) => !problems.has(row)), "rewards?dry_run=true", problems);
  if (problems.size > 0) return show(sheet, `Result: nothing was imported. Correct ${problems.size}, then try again`, problems);
  const outcomes = compare(rows, readCatalogue());
  if (isDryRun) return show(sheet, `Result: nothing was imported yet. ${inWords(tried)}`, outcomes);
  const imported = new Map();
  sendAll(rows, "rewards", null, (batch, counts) => {
    for (const { row } of batch) imported.set(row, outcomes.get(row));
    show(sheet, `Result: ${imported.size} of ${rows.length} imported. ${inWords(counts)}`, imported);
  });
}

const inWords = ({ created, updated, unchanged }) => `${created} new, ${updated} changed, ${unchanged} unchanged`;

/** The rewards of a sheet, each with the number of its row. The first row has the fields; from "Result" on nothing is read. */
function readSheet(sheet) {
  const [first, ...others] = sheet.getDataRange().getValues();
  const headings = first.map((heading) => String(heading).trim());
  const result = headings.findIndex((heading) => heading.startsWith("Result"));
  const fields = result < 0 ? headings : headings.slice(0, result);
  const isFilled = (cell) => cell !== "" && cell !== false; // an empty row has the false of its checkboxes
  const rows = others
    .map((cells, index) => ({
      row: index + 2,
      reward: Object.fromEntries(
        fields.flatMap((field, at) => (field === "" || cells[at] === "" ? [] : [[field, valueOf(field, cells[at])]])),
      ),
      isFilled: fields.some((_, at) => isFilled(cells[at])),
    }))
    .filter(({ isFilled }) => isFilled);
  if (rows.length === 0) throw new Error("The sheet has no rewards: the first row has the fields, each other row a reward");
  return { sheet, rows, column: result < 0 ? fields.length + 1 : result + 1, height: others.length };
}

/** What a cell sends: in a sheet of plain text, numbers are text. */
function valueOf(field, cell) {
  const isText = typeof cell === "string";
  if (NUMBERS.includes(field))
    return isText && IS_NUMBER.test(cell) && !HAS_THOUSANDS.test(cell) ? Number(cell.replace(",", ".")) : cell;
  if (field === "is_archived" && isText) return IS_TRUE.test(cell) || (IS_FALSE.test(cell) ? false : cell);
  return typeof cell === "number" && field !== "external_id" ? String(cell) : cell;
}

const isDate = (value) => Object.prototype.toString.call(value) === "[object Date]";

/** What is wrong with the rows that only the spreadsheet knows, by row. */
function findProblems(rows) {
  const problems = new Map();
  const rowOf = new Map();
  for (const { row, reward } of rows) {
    const found = Object.entries(reward).flatMap(([field, value]) => {
      if (isDate(value)) return [`${field} is a date: format the column as plain text, and enter the value again`];
      if (field === "external_id" && typeof value === "number")
        return ["external_id may have lost zeros: format the column as plain text, and enter the ID again"];
      const [, , words] = REFUSALS.find(([fields, cells]) => fields.test(field) && cells.test(value)) ?? [];
      return words ? [`${field} ${words}`] : [];
    });
    const id = reward.external_id;
    if (rowOf.has(id)) found.push(`external_id must be unique, row ${rowOf.get(id)} has it too`);
    else if (id !== undefined) rowOf.set(id, row);
    if (found.length > 0) problems.set(row, found.join("; "));
  }
  return problems;
}

/**
 * Sends rewards, and calls `done` after each request. Adds what the API refuses to `problems`, by row; without them, it fails.
 * Returns what the API did, in numbers.
 */
function sendAll(rows, path, problems, done = () => {}) {
  const counts = { created: 0, updated: 0, unchanged: 0 };
  for (let at = 0; at < rows.length; at += REWARDS_PER_REQUEST) {
    const batch = rows.slice(at, at + REWARDS_PER_REQUEST);
    const payload = JSON.stringify(batch.map(({ reward }) => reward));
    const { body } = ask(path, { method: "post", contentType: "application/json", payload });
    const refused = [...(body.error ?? "").matchAll(/rewards\[(\d+)\]: (.*?)(?=; rewards\[|; and \d+ more$|$)/gs)];
    if (body.error && (!problems || refused.length === 0)) throw new Error(body.error);
    for (const [, index, words] of refused) {
      const { row } = batch[index];
      problems.set(row, problems.has(row) ? `${problems.get(row)}; ${words}` : words);
    }
    for (const name of Object.keys(counts)) counts[name] += body[name] ?? 0;
    done(batch, counts);
  }
  return counts;
}

/** Every reward of the catalogue that an import has made, by external_id. */
function readCatalogue() {
  const rewards = new Map();
  for (let place = "", more = true; more; ) {
    const page = ask(`rewards?include=external_id&include_archived=true&limit=1000${place}`);
    for (const reward of page.body) if (reward.external_id !== null) rewards.set(reward.external_id, reward);
    const last = page.body[page.body.length - 1];
    more = page.more && last !== undefined;
    if (more) place = `&starting_after=${encodeURIComponent(`${last.created_at}_${last.id}`)}`;
  }
  return rewards;
}

/** What an import does with each row. */
function compare(rows, catalogue) {
  return new Map(
    rows.map(({ row, reward }) => {
      const known = catalogue.get(reward.external_id);
      const lost = reward.points_cost > 0 && reward.points_cost < 0.5 ? "; points_cost becomes 0" : "";
      const missing = Object.keys(reward).filter((field) => IS_MISSING.test(reward[field]));
      const doubts = missing.map((field) => `; check ${field}: it looks like a missing value`).join("") + lost;
      if (known === undefined) return [row, `new${doubts}`];
      const changes = Object.entries({ ...reward, points_cost: Math.round(reward.points_cost) })
        .filter(([field, value]) => known[field] !== value)
        .map(([field, value]) => `${field} ${JSON.stringify(known[field])} → ${JSON.stringify(value)}`);
      return [row, (changes.length === 0 ? "unchanged" : `changed: ${changes.join(", ")}`) + doubts];
    }),
  );
}

/**
 * Writes the column Result: a heading, and a text for each of these rows. The other rows become empty, and so do all if the
 * sheet has changed since it was read: a text would stand beside another row.
 */
function show({ sheet, rows }, heading, texts) {
  const now = readSheet(sheet);
  const isSame = JSON.stringify(now.rows) === JSON.stringify(rows);
  if (now.column > sheet.getMaxColumns()) sheet.insertColumnAfter(sheet.getMaxColumns());
  const cells = Array.from({ length: now.height }, (_, index) => [(isSame && texts.get(index + 2)) || ""]);
  const range = sheet.getRange(1, now.column, now.height + 1, 1);
  range.setNumberFormat("@");
  range.setValues([[isSame ? heading : `${heading}. The rows have changed meanwhile, so no result is shown beside them`], ...cells]);
}

/** The answer to one request, and whether there are more rows. Retries while the API is busy: six requests at most. */
function ask(path, options) {
  const key = PropertiesService.getScriptProperties().getProperty("PUBLIC_API_KEY");
  if (!key) throw new Error("Add the script property PUBLIC_API_KEY under Project Settings");
  for (let attempt = 1; ; attempt++) {
    const response = UrlFetchApp.fetch(`${BASE_ADDRESS}/${path}`, {
      ...options,
      headers: { "X-API-Key": key.trim() },
      followRedirects: false, // followed, one would carry the key to another host
      muteHttpExceptions: true,
    });
    const status = response.getResponseCode();
    const text = response.getContentText("UTF-8");
    const header = (name) => Object.entries(response.getHeaders()).find(([other]) => other.toLowerCase() === name)?.[1];
    if (status === 200 || status === 400) return { body: JSON.parse(text), more: header("x-has-more") === "true" };
    if ((status !== 429 && status < 500) || attempt === 6) throw new Error(`${status}: ${text}`);
    Utilities.sleep(Math.min(Number(header("retry-after") ?? 2 ** (attempt - 1)) || 1, 120) * 1000);
  }
}
