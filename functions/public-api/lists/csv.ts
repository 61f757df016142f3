import type { Answer } from "../answers/responses.ts";
import type { Page } from "../database/data_api.ts";
import type { Column } from "../table/types.ts";
import { CsvConverter } from "./csv_converter.ts";

/**
 * A list as CSV (`docs/api.md`, CSV): a header, then one line per row, each ended by CRLF. `page` is the JSON array from
 * the database, `name` is the file's without `.csv`. A streamed page is converted as fast as the caller reads the CSV, and
 * breaks off where the page does. With `escapeFormulas` no spreadsheet reads a text as a formula.
 */
export function csv(
  page: Page,
  name: string,
  columns: readonly Column[],
  escapeFormulas: boolean,
  headers: Record<string, string>,
): Answer {
  const converter = new CsvConverter(columns, escapeFormulas);
  return {
    status: 200,
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="${name}.csv"`,
      ...headers,
    },
    body: page instanceof ReadableStream ? converted(page, converter) : converter.end(page),
  };
}

/** The CSV of a page, of which no more is read than the caller takes. */
function converted(page: ReadableStream<Uint8Array>, converter: CsvConverter): ReadableStream<Uint8Array> {
  const take = (cells: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) => {
    if (cells.length > 0) controller.enqueue(cells);
  };
  return page.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (part, controller) => take(converter.convert(part), controller),
      flush: (controller) => take(converter.end(), controller),
    }),
  );
}
