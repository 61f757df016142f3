import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";

/**
 * The text of a file in UTF-8, without a byte-order mark, as a stream.
 * @throws Error that says which encoding or format the file has, and how to save it
 */
export async function* textOf(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const stored = createReadStream(file);
  const content = /\.gz$/i.test(file) ? pipeline(stored, createGunzip(), () => {}) : stored;
  let isStart = true;
  for await (const bytes of content) {
    const start = isStart ? bytes.toString("latin1", 0, 4) : "";
    isStart = false;
    // A workbook is a zip file, an old one a compound file, whatever their name.
    if (["PK\u0003\u0004", "\u00d0\u00cf\u0011\u00e0"].includes(start))
      throw new Error(`it is a workbook. ${saveAsCsv}`);
    // A mark of UTF-16, or the zero that it has beside every Latin letter.
    if (/^(\xff\xfe|\xfe\xff)|\0/.test(start)) throw new Error(`the text is UTF-16. ${saveAsCsv}`);
    yield orError(
      () => decoder.decode(bytes, { stream: true }),
      `the text is not UTF-8, but Windows-1252 or so. ${saveAsCsv}`,
    );
  }
  orError(() => decoder.decode(), "the file is cut off: its last character is not whole");
}

/** How a spreadsheet is saved for an import. */
export const saveAsCsv =
  "Save it as CSV in UTF-8 (in Excel: File, Save as, CSV UTF-8; in LibreOffice: File, Save as, Text CSV)";

function orError(decode: () => string, message: string): string {
  try {
    return decode();
  } catch {
    throw new Error(message);
  }
}
