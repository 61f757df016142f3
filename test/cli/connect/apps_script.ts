// The part of Google Apps Script that docs/connect/google-sheets.md needs. A script runs against the real API and fills
// a sheet in memory.
import { execFileSync } from "node:child_process";
import { runInNewContext } from "node:vm";
import papaparse from "papaparse";
import { expect } from "vitest";

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Sends a request with curl: UrlFetchApp blocks until the answer is there, and fetch cannot. */
function send(url: string, headers: Record<string, string>): Answer {
  const sent = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const stdout = execFileSync("curl", ["-sSi", ...sent, url], { encoding: "utf8", maxBuffer: 64 << 20 });
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

/**
 * A script with its properties and its spreadsheet.
 * @param answers to the next requests, which are then not sent
 */
export function appsScript(script: string, properties: Record<string, string>, answers: Answer[] = []) {
  const sheets = new Map<string, Sheet>();
  const slept: number[] = [];
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
    PropertiesService: { getScriptProperties: () => ({ getProperty: (key: string) => properties[key] ?? null }) },
    SpreadsheetApp: {
      getActiveSpreadsheet: () => ({
        getSheetByName: (name: string) => sheets.get(name) ?? null,
        insertSheet: (name: string) => sheets.set(name, new Sheet()).get(name),
      }),
    },
    UrlFetchApp: {
      fetch(url: string, options: { headers: Record<string, string> }) {
        const { whileFetching } = hooks;
        hooks.whileFetching = undefined;
        whileFetching?.();
        const { status, headers, text } = answers.shift() ?? send(url, options.headers);
        return { getResponseCode: () => status, getHeaders: () => headers, getContentText: () => text };
      },
    },
    Utilities: {
      parseCsv: (text: string) => papaparse.parse<string[]>(text, { newline: "\r\n" }).data,
      sleep: (milliseconds: number) => void slept.push(milliseconds),
    },
  };
  return {
    /** When a run ends, Google releases its lock. */
    run: (name: string) => {
      const isFirst = !isLocked;
      try {
        runInNewContext(`${script}\n${name}();`, { ...services });
      } finally {
        if (isFirst) isLocked = false;
      }
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
