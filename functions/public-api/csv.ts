import { CsvConverter } from "./csv_converter.ts";
import type { Page } from "./database.ts";
import type { Column } from "./endpoint_types.ts";
import type { Answer } from "./responses.ts";

/**
 * A list as CSV (`docs/api.md`, CSV): a header, then one line per row, each ended by CRLF. `page` is the JSON array from
 * the database, `name` is the name of the file without `.csv`. A streamed page is converted as fast as the caller reads
 * the CSV; if it breaks off, the response breaks off too. With `escapeFormulas` no spreadsheet reads a text cell as a
 * formula.
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
    body: page instanceof ReadableStream ? converted(page.getReader(), converter) : converter.convertAll(page),
  };
}

/** The CSV of a page. The next part of the page is read when the caller has taken what was converted before. */
function converted(page: ReadableStreamDefaultReader<Uint8Array>, converter: CsvConverter): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await page.read();
          const lines = done ? converter.end() : converter.convert(value);
          if (lines.length > 0) controller.enqueue(lines);
          if (done) return controller.close();
          if (lines.length > 0) return;
        }
      },
      cancel: (reason) => page.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
