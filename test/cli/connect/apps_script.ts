// The part of Google Apps Script that the scripts of docs/connect need. A script runs against the real API and fills a
// sheet in memory.
import { execFileSync } from "node:child_process";
import { runInNewContext } from "node:vm";
import papaparse from "papaparse";
import { expect } from "vitest";
import { read } from "../../support/pages.ts";
import { stack } from "../../support/stack.ts";

type Answer = { status: number; headers: Record<string, string>; text: string };
type Options = { headers: Record<string, string>; contentType?: string; payload?: string };

/** Sends a request with curl: UrlFetchApp blocks until the answer is there, and fetch cannot. */
function send(url: string, { headers, contentType, payload }: Options): Answer {
  const sent = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  if (payload !== undefined) sent.push("-H", `Content-Type: ${contentType}`, "--data-binary", "@-");
  const input = payload ?? "";
  const stdout = execFileSync("curl", ["-sSi", ...sent, url], { input, encoding: "utf8", maxBuffer: 64 << 20 });
  const [head = "", ...body] = stdout.split("\r\n\r\n");
  const [line = "", ...lines] = head.split("\r\n");
  const received = Object.fromEntries(lines.map((one) => one.split(": ")));
  return { status: Number(line.split(" ")[1]), headers: received, text: body.join("\r\n\r\n") };
}

const emptyRows = (rows: number, columns: number) =>
  Array.from({ length: rows }, () => Array<string>(columns).fill(""));

/** Has 1000 rows and 26 columns, as a new one at Google has. */
class Sheet {
  cells = emptyRows(1000, 26);
  /** When it is true, Google's service fails at the next write of values. */
  isBroken = false;

  getMaxRows(): number {
    return this.cells.length;
  }

  getMaxColumns(): number {
    return this.cells[0]?.length ?? 0;
  }

  insertColumnAfter(column: number): void {
    for (const row of this.cells) row.splice(column, 0, "");
  }

  /** Up to the last row and the last column that are not empty. */
  getDataRange() {
    const width = Math.max(...this.cells.map((row) => row.findLastIndex((cell) => cell !== "") + 1), 1);
    return this.getRange(1, 1, Math.max(this.cells.findLastIndex((row) => row.join("") !== "") + 1, 1), width);
  }

  insertRowsAfter(row: number, rows: number): void {
    this.cells.splice(row, 0, ...emptyRows(rows, 26));
  }

  /** Rows and columns are counted from 1. The values must have the size of the range, and be written as text. */
  getRange(row: number, column: number, rows: number, columns: number) {
    expect(Math.min(row, column, rows, columns)).toBeGreaterThan(0);
    expect(row - 1 + rows).toBeLessThanOrEqual(this.cells.length);
    const setValues = (values: string[][]) => {
      if (this.isBroken) throw new Error("Service Spreadsheets timed out");
      expect(values.map((cells) => cells.length)).toEqual(Array(rows).fill(columns));
      for (const [index, cells] of values.entries()) this.cells[row - 1 + index]?.splice(column - 1, columns, ...cells);
    };
    return {
      getValues: () =>
        this.cells.slice(row - 1, row - 1 + rows).map((cells) => cells.slice(column - 1, column - 1 + columns)),
      setValues,
      clearContent: () => {
        for (const cells of this.cells.slice(row - 1, row - 1 + rows)) cells.fill("", column - 1, column - 1 + columns);
      },
      setNumberFormat: (format: string) => expect(format).toBe("@"),
    };
  }
}

/** Collects the items of a menu: label and function. */
const uiWith = (menu: Map<string, string>) => ({
  createMenu: () => ({
    addItem(label: string, name: string) {
      menu.set(label, name);
      return this;
    },
    addToUi: () => {},
  }),
});

/** A script of docs/connect, for this stack. */
const scriptOf = (file: string): string =>
  read(`docs/connect/${file}`).replace("https://<project>.supabase.co/functions/v1/public-api", stack.api_url);

/** The properties of a script. */
const propertiesWith = (key: string) => ({ getProperty: (name: string) => (name === "PUBLIC_API_KEY" ? key : null) });

/**
 * A script of docs/connect with this key, for this stack, and its spreadsheet.
 * @param answers to the next requests, which are then not sent; null sends one
 */
export function appsScript(file: string, apiKey: string, answers: (Answer | null)[] = []) {
  const sheets = new Map<string, Sheet>();
  const slept: number[] = [];
  const menu = new Map<string, string>();
  let isLocked = false;
  const hooks: { whileFetching?: (() => void) | undefined } = {};
  const services = {
    LockService: {
      getScriptLock: () => ({
        // At Google it waits; here the run that holds the lock cannot go on meanwhile.
        waitLock() {
          if (isLocked) throw new Error("Another run holds the lock");
          isLocked = true;
        },
        releaseLock() {
          isLocked = false;
        },
      }),
    },
    PropertiesService: { getScriptProperties: () => propertiesWith(apiKey) },
    SpreadsheetApp: {
      getActiveSheet: () => sheets.values().next().value,
      getUi: () => uiWith(menu),
      getActiveSpreadsheet: () => ({
        getSheetByName: (name: string) => sheets.get(name) ?? null,
        insertSheet: (name: string) => sheets.set(name, new Sheet()).get(name),
      }),
    },
    UrlFetchApp: {
      fetch(url: string, options: Options) {
        const { whileFetching } = hooks;
        hooks.whileFetching = undefined;
        whileFetching?.();
        const { status, headers, text } = answers.shift() ?? send(url, options);
        return { getResponseCode: () => status, getHeaders: () => headers, getContentText: () => text };
      },
    },
    Utilities: {
      parseCsv: (text: string) => papaparse.parse<string[]>(text, { newline: "\r\n" }).data,
      sleep: (milliseconds: number) => void slept.push(milliseconds),
    },
  };
  /** When a run ends, Google releases its lock. */
  const run = (name: string) => {
    const isFirst = !isLocked;
    try {
      runInNewContext(`${scriptOf(file)}\n${name}();`, { ...services });
    } finally {
      if (isFirst) isLocked = false;
    }
  };
  return {
    run,
    /** Runs what an item of the script's menu names. */
    click: (label: string) => {
      run("onOpen");
      run(menu.get(label) ?? `no item ${label}`);
    },
    /** The first sheet, which a person sees, with these cells. */
    open: (cells: unknown[][]) => {
      const sheet = sheets.get("Sheet1") ?? new Sheet();
      sheets.set("Sheet1", sheet);
      for (const [row, values] of cells.entries()) sheet.cells[row]?.splice(0, values.length, ...(values as string[]));
      return sheet;
    },
    hooks,
    sheet: (name: string) => sheets.get(name),
    /** The rows of a sheet that have an id, the header among them, with the columns that have a heading. */
    rows: (name: string): string[][] => {
      const cells = sheets.get(name)?.cells ?? [];
      const columns = cells[0]?.indexOf("") ?? 0;
      return cells.slice(0, cells.findLastIndex(([id]) => id !== "") + 1).map((row) => row.slice(0, columns));
    },
    /** All cells of a sheet. */
    cells: (name: string): string[][] => sheets.get(name)?.cells ?? [],
    /** How long the script slept, in milliseconds. */
    slept,
  };
}
