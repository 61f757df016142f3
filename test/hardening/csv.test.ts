// Random text in every text column, read as CSV through the whole stack by Python's csv module, which shares no code
// with the API or these tests.
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { count, tried } from "../support/counts.ts";
import { cells, lists, predict, readCsv } from "../support/model.ts";
import { call } from "../support/stack.ts";
import { worldOfFile } from "../support/world.ts";

const size = count(150, 900);
const { world, key } = await worldOfFile(size);

const readByPython = `import csv, io, json, sys
text = sys.stdin.buffer.read().decode("utf-8")
json.dump(list(csv.reader(io.StringIO(text, newline=""), strict=True)), sys.stdout)`;

// Proves: service.1, parameters.3, requests.40, requests.42, requests.44, responses.4, responses.7, responses.9, responses.10,
// responses.12, responses.15, responses.16, responses.17, layer.4
test("every list as CSV is read by Python as it stands in the table, under a header of the field names; escaped, a spreadsheet runs no cell", async () => {
  for (const [path, { included }] of Object.entries(lists)) {
    const include = included.length > 0 && { include: included.join() };
    for (const escaped of [{}, { escape_formulas: "true" }]) {
      const parameters = { limit: "1000", format: "csv", ...include, ...escaped };
      const response = await call(`${path}?${new URLSearchParams(parameters)}`, key);
      const input = Buffer.from(await response.arrayBuffer());
      const { stdout, stderr, status } = spawnSync("python3", ["-c", readByPython], { input, maxBuffer: 1 << 28 });
      expect([status, stderr?.toString()], "python3 runs").toEqual([0, ""]);
      const read: string[][] = JSON.parse(stdout.toString());
      // Python takes any line end, and a last line without one.
      expect(readCsv(input.toString())).toEqual(read);
      expect(read).toEqual(cells({ path, parameters }, predict(world, { path, parameters })?.rows ?? []));
      // A spreadsheet also reads a negative number as a number.
      const formulas = read.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell) && !/^-\d+$/.test(cell));
      if ("escape_formulas" in escaped) expect(formulas).toEqual([]);
      else if (read.length > size / 2) expect(formulas.length).toBeGreaterThan(0);
    }
  }
  tried(`CSV: ${size} rows of random text in each of ${Object.keys(lists).length} lists, read by Python's csv module`);
});
