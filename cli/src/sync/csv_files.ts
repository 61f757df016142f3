// The lists of a copy as CSV files, written as the API and an export write them.
import { join } from "node:path";
import Papa from "papaparse";
import type { Column, ListEndpoint } from "../../../functions/public-api/table/types.ts";
import { exportedLists, nameOf } from "../lists.ts";
import { writeWhole } from "../whole_file.ts";
import type { Copy } from "./copy.ts";
import { columnsOf } from "./tables.ts";

/** How many rows are written at once. */
const batchSize = 1000;

/** Writes a list to a file in the folder. An older file stays until the new one is complete. */
export async function writeCsv(copy: Copy, list: ListEndpoint, folder: string): Promise<void> {
  const columns = exportedLists.filter(({ path }) => path === list.path).flatMap(columnsOf);
  await writeWhole(join(folder, `${nameOf(list)}.csv`), false, async (append) => {
    let lines = [columns.map(({ name }) => name)];
    const write = async () => {
      await append(`${Papa.unparse(lines, { newline: "\r\n" })}\r\n`);
      lines = [];
    };
    for (const row of copy.rows(list)) {
      lines.push(columns.map(({ name, type }) => cell(row[name], type)));
      if (lines.length > batchSize) await write();
    }
    if (lines.length > 0) await write();
  });
}

function cell(value: unknown, type: Column["type"]): string {
  if (value === null || value === undefined) return "";
  if (type === "boolean") return String(value !== 0n);
  // The copy has JSON, in which a text has quotes.
  return type === "json" && /^"/.test(String(value)) ? JSON.parse(String(value)) : String(value);
}
