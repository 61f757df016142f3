// How a page is turned into CSV: at once when it has a known and ordinary length, otherwise as it comes.
import Papa from "papaparse";
import { describe, expect, test } from "vitest";
import { list, startService, withLength } from "../support/service.ts";

const service = await startService();

const team = { id: "0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d", name: "", created_at: "2026-11-21T10:15:30.123456Z" };
const odd = 'a "quoted" }, ]{ [\\ "\n😀,';
const manyMegabytes = Array.from({ length: 1000 }, (_, index) => ({ ...team, name: `${index} ${odd.repeat(100)}` }));
/** Text as PostgreSQL's json_agg prints it. */
const printed = (rows: object[]): string => `[${rows.map((row) => JSON.stringify(row)).join(", \n ")}]`;

/** The lengths of the pieces of a body, and the whole body as one text. */
async function pieces({ body }: Response): Promise<{ lengths: number[]; text: string }> {
  const lengths: number[] = [];
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
    lengths.push(piece.length);
    text += decoder.decode(piece, { stream: true });
  }
  return { lengths, text };
}

test("a page of 1,000 ordinary rows, whose length is known, is turned into CSV at once", async () => {
  const row = { ...team, name: "A team like many others, ".repeat(12) };
  service.answer("list_teams", withLength(list(printed(Array.from({ length: 1000 }, () => row)))));
  const { lengths, text } = await pieces(await service.send("/teams?format=csv"));
  expect(lengths).toEqual([Buffer.byteLength(text)]);
  expect(text.split("\r\n")).toHaveLength(1002);
});

test.each([
  ["of unknown length", list(printed(manyMegabytes))],
  ["whose length is known", withLength(list(printed(manyMegabytes)))],
])("a page of many megabytes %s is written in parts, none of which is large", async (_what, answer) => {
  service.answer("list_teams", answer);
  const { lengths, text } = await pieces(await service.send("/teams?format=csv"));
  expect(lengths.length).toBeGreaterThan(5);
  expect(Math.max(...lengths)).toBeLessThan(512 * 1024);
  expect(Papa.parse(text, { header: true, skipEmptyLines: true }).data).toEqual(manyMegabytes);
  expect(text).toMatch(/^id,name,created_at\r\n0a1b/);
  expect(text.match(/^id,name,/gm)).toHaveLength(1);
  expect(text.endsWith("\r\n")).toBe(true);
});

describe("a page of many megabytes", () => {
  test("is read no faster than the caller takes it, and no further when the caller goes away", async () => {
    const line = `${JSON.stringify(manyMegabytes[0])},`;
    let written = 0;
    let isClosed = false;
    service.answer("list_teams", (response) => {
      response.on("close", () => {
        isClosed = true;
      });
      response.writeHead(200, { "Content-Type": "application/json", "X-Has-More": "false" }).write("[");
      const more = () => {
        do written += line.length;
        while (response.write(line));
        response.once("drain", more);
      };
      more();
    });
    const response = await service.send("/teams?format=csv");
    const reader = response.body?.getReader();
    await reader?.read();
    // The page has no end. Waits until the upstream can write no more, because all buffers on the way are full.
    let before = -1;
    const isAtRest = () => {
      const rests = before === written;
      before = written;
      return rests;
    };
    await expect.poll(isAtRest).toBe(true);
    expect(written).toBeLessThan(32 * 1024 * 1024);
    await reader?.cancel();
    await expect.poll(() => isClosed).toBe(true);
  });

  test("that the database did not send to its end is never a well-formed answer", async () => {
    const page = JSON.stringify(manyMegabytes);
    service.answer("list_teams", list(page.slice(0, -1)));
    const response = await service.send("/teams?format=csv");
    await expect(response.text()).rejects.toThrow();
  });
});
