// The part of Google Apps Script that docs/connect/google-sheets.md needs. A script runs against the real API and fills
// a sheet in memory.
import { spawnSync } from "node:child_process";
import { runInNewContext } from "node:vm";
import papaparse from "papaparse";

/**
 * Sends a request and blocks until the answer is there, as UrlFetchApp does. It runs in its own process, because fetch
 * cannot block in this one.
 */
const fetchAndWait = `
  const { url, ...init } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  fetch(url, init).then(async (response) => process.stdout.write(JSON.stringify({
    status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() })))`;

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

interface Options {
  headers: Record<string, string>;
  followRedirects: boolean;
  muteHttpExceptions: boolean;
}

class Sheet {
  cells: string[][] = [];

  clearContents(): void {
    this.cells = [];
  }

  getDataRange() {
    return { getValues: () => (this.cells.length > 0 ? this.cells.map((row) => [...row]) : [[""]]) };
  }

  /** Rows and columns are counted from 1. */
  getRange(row: number, column: number, rows: number, columns: number) {
    if (row < 1 || column !== 1)
      throw new Error("The coordinates of the range are outside the dimensions of the sheet");
    const range = {
      setNumberFormat: (format: string) => {
        if (format !== "@") throw new Error(`The stand-in does not know the format ${format}`);
        return range;
      },
      setValues: (values: string[][]) => {
        const fits = values.length === rows && values.every((cells) => cells.length === columns);
        if (!fits) throw new Error("The number of rows or columns in the data does not match the range");
        this.cells.splice(row - 1, rows, ...values);
      },
    };
    return range;
  }
}

/** A script with its properties and its spreadsheet. */
export class AppsScript {
  /** Answers for the next requests, which are then not sent. */
  answers: Answer[] = [];
  /** How long the script slept, in milliseconds. */
  readonly slept: number[] = [];
  private readonly sheets = new Map<string, Sheet>();
  private readonly script: string;
  private readonly properties: Record<string, string>;

  constructor(script: string, properties: Record<string, string>) {
    this.script = script;
    this.properties = properties;
  }

  sheet(name: string): string[][] {
    return this.sheets.get(name)?.cells ?? [];
  }

  run(name: string): void {
    runInNewContext(`${this.script}\n${name}();`, {
      PropertiesService: {
        getScriptProperties: () => ({ getProperty: (key: string) => this.properties[key] ?? null }),
      },
      SpreadsheetApp: {
        getActiveSpreadsheet: () => ({
          getSheetByName: (sheet: string) => this.sheets.get(sheet) ?? null,
          insertSheet: (sheet: string) => this.sheets.set(sheet, new Sheet()).get(sheet),
        }),
      },
      UrlFetchApp: {
        fetch: (url: string, options: Options) => {
          const answer = this.answers.shift() ?? send(url, options);
          return {
            getResponseCode: () => answer.status,
            getHeaders: () => answer.headers,
            getContentText: () => answer.text,
          };
        },
      },
      Utilities: {
        parseCsv: (text: string) => papaparse.parse<string[]>(text, { newline: "\r\n" }).data,
        sleep: (milliseconds: number) => void this.slept.push(milliseconds),
      },
    });
  }
}

function send(url: string, { headers, followRedirects }: Options): Answer {
  const { stdout, status } = spawnSync(process.execPath, ["-e", fetchAndWait], {
    input: JSON.stringify({ url, headers, redirect: followRedirects ? "follow" : "manual" }),
    maxBuffer: 64 << 20,
  });
  if (status !== 0) throw new Error(`Address unavailable: ${url}`);
  return JSON.parse(stdout.toString());
}
