// As much of Google Apps Script as docs/connect/google-sheets.md needs: a script runs against the real API, and fills a sheet in memory.
import { spawnSync } from "node:child_process";
import { runInNewContext } from "node:vm";
import papaparse from "papaparse";

/** Sends a request and waits, as UrlFetchApp does: in a process of its own, because fetch cannot be waited for in this one. */
const fetchAndWait = `
  const { url, headers } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  fetch(url, { headers }).then(async (response) => process.stdout.write(JSON.stringify({
    status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() })))`;

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

interface Options {
  headers: Record<string, string>;
  muteHttpExceptions: boolean;
}

class Sheet {
  cells: string[][] = [];

  clearContents(): void {
    this.cells = [];
  }

  getRange(row: number, column: number, rows: number, columns: number) {
    if (row !== 1 || column !== 1) throw new Error("The range must begin at A1");
    return {
      setValues: (values: string[][]) => {
        const fits = values.length === rows && values.every((cells) => cells.length === columns);
        if (!fits) throw new Error("The number of rows or columns in the data does not match the range");
        this.cells = values;
      },
    };
  }
}

/** Runs functions of a script, one after the other, and returns what stands in the sheet after each. */
export function runAppsScript(script: string, functions: string[], properties: Record<string, string>): string[][][] {
  const sheets = new Map<string, Sheet>();
  const globals = {
    PropertiesService: { getScriptProperties: () => ({ getProperty: (name: string) => properties[name] ?? null }) },
    SpreadsheetApp: {
      getActiveSpreadsheet: () => ({
        getSheetByName: (name: string) => sheets.get(name) ?? null,
        insertSheet: (name: string) => sheets.set(name, new Sheet()).get(name),
      }),
    },
    UrlFetchApp: {
      fetch(url: string, { headers }: Options) {
        const { stdout, status } = spawnSync(process.execPath, ["-e", fetchAndWait], {
          input: JSON.stringify({ url, headers }),
          maxBuffer: 64 << 20,
        });
        if (status !== 0) throw new Error(`Address unavailable: ${url}`);
        const answer: Answer = JSON.parse(stdout.toString());
        return {
          getResponseCode: () => answer.status,
          getHeaders: () => answer.headers,
          getContentText: () => answer.text,
        };
      },
    },
    Utilities: { parseCsv: (text: string) => papaparse.parse<string[]>(text, { newline: "\r\n" }).data },
  };
  return functions.map((name) => {
    runInNewContext(`${script}\n${name}();`, globals);
    return [...(sheets.get("Activity")?.cells ?? [])];
  });
}
