// docs/openapi.json against the running stack. Every answer to a test is checked against it (test/support/contract.ts);
// test/serial/docs.test.ts compares its examples, test/repository/versioning.test.ts the released document.
import { expect, test } from "vitest";
import document from "../../docs/openapi.json" with { type: "json" };
import { checkAnswer } from "../support/contract.ts";
import { call, first } from "../support/stack.ts";

test("an answer with a field, a status or a header that the document does not have is refused", async () => {
  const response = await call("/members?limit=1", first.key);
  const [row] = (await response.json()) as object[];
  const check = (changed: object, status = 200, headers = response.headers) =>
    checkAnswer("GET", "/members?limit=1", status, headers, JSON.stringify([{ ...row, ...changed }]));
  expect(() => check({})).not.toThrow();
  expect(() => check({ salary: 1 })).toThrow("must NOT have additional properties");
  expect(() => check({ created_at: "2026-11-21T10:15:30+00:00" })).toThrow("created_at must match pattern");
  expect(() => check({ team_name: null })).toThrow("team_name must be string");
  expect(() => check({}, 418)).toThrow("has no 418 for GET /members");
  const headers = new Headers(response.headers);
  headers.delete("X-Has-More");
  expect(() => check({}, 200, headers)).toThrow("X-Has-More");
  expect(() => checkAnswer("HEAD", "/members", 200, response.headers, "[]")).toThrow("has a body");
});

type Parameter = {
  name: string;
  explode?: boolean;
  schema?: { type?: string; maxItems?: number; items?: { enum?: string[] } };
};

test("a client that is generated from it sends several values of a parameter as the API reads them", async () => {
  for (const [path, operations] of Object.entries<{ get?: object }>(document.paths)) {
    const { parameters = [] }: { parameters?: Parameter[] } = operations.get ?? {};
    for (const { name, explode, schema } of parameters) {
      if (schema?.type !== "array") continue;
      const values = (schema.items?.enum ?? []).slice(-(schema.maxItems ?? 100));
      // style=form: with explode, which is the default, each value is a parameter of its own.
      const query = explode === false ? `${name}=${values}` : values.map((value) => `${name}=${value}`).join("&");
      expect([path, query, (await call(`${path}?${query}`, first.key)).status]).toEqual([path, query, 200]);
    }
  }
});
