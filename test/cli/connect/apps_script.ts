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

class Sheet {
  cells: string[][] = [];

  clearContents(): void {
    this.cells = [];
  }

  getDataRange() {
    return { getValues: () => (this.cells.length > 0 ? this.cells.map((row) => [...row]) : [[""]]) };
  }

  /** Rows and columns are counted from 1. The values must have the size of the range, and be written as text. */
  getRange(row: number, column: number, rows: number, columns: number) {
    const setValues = (values: string[][]) => {
      expect([column, ...values.map((cells) => cells.length)]).toEqual([1, ...Array(rows).fill(columns)]);
      this.cells.splice(row - 1, rows, ...values);
    };
    return {
      setNumberFormat(format: string) {
        expect(format).toBe("@");
        return { setValues };
      },
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
  const services = {
    PropertiesService: { getScriptProperties: () => ({ getProperty: (key: string) => properties[key] ?? null }) },
    SpreadsheetApp: {
      getActiveSpreadsheet: () => ({
        getSheetByName: (name: string) => sheets.get(name) ?? null,
        insertSheet: (name: string) => sheets.set(name, new Sheet()).get(name),
      }),
    },
    UrlFetchApp: {
      fetch(url: string, options: { headers: Record<string, string> }) {
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
    run: (name: string) => runInNewContext(`${script}\n${name}();`, { ...services }),
    /** The rows of a sheet: the header and the others. */
    rows: (name: string): string[][] => sheets.get(name)?.cells ?? [],
    /** How long the script slept, in milliseconds. */
    slept,
  };
}
