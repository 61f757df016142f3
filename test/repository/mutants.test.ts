// The mutants of npm run test:mutants fit what they change: a refactoring that moves a protection moves its mutant too.
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { databaseMutants, stackMutants } from "../mutants/database.ts";
import { cliMutants, functionMutants } from "../mutants/function.ts";
import { read } from "../support/pages.ts";
import { sql } from "../support/stack.ts";

test("the text of each mutant of the function and the command line stands once in its file", () => {
  const places = [...functionMutants, ...Object.values(cliMutants).flat()].map(
    ({ name, file, from }) => `${file}: ${name}: ${read(file).split(from).length - 1}`,
  );
  expect(places.filter((place) => !place.endsWith(": 1"))).toEqual([]);
});

test("each mutant of the database changes a function that the database has, and its tests are there", async () => {
  expect((await databaseMutants(sql)).length).toBeGreaterThan(500);
  const files = new Set((await stackMutants(sql)).map(({ tests }) => tests.split(" ")[0]));
  expect([...files].filter((file) => !existsSync(`${root}/${file}`))).toEqual([]);
});
