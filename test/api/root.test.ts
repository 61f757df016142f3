// GET / (docs/api.md, Authentication and Versioning).
import { afterAll, beforeAll, expect, test } from "vitest";
import { endpoints as all, version } from "../../functions/public-api/endpoints.ts";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { allScopes, call, demo, sql } from "../support/stack.ts";

let company: TestCompany;
beforeAll(async () => {
  company = await newCompany("Root");
});
afterAll(() => company.remove());

/** The table of endpoints; docs/openapi.released.json holds it to what was promised (test/cli/versioning.test.ts). */
const endpoints = all.map(({ method, path, aliases, scope }) => ({ method, path, aliases, scope }));

// Proves: endpoints.2, versioning.1, responses.1, reaching.10, risk.9
test("the base address answers the version, the company's and the key's name, the scopes, the endpoints, the expiry and the company's id, in this order", async () => {
  for (const { name, key } of demo) {
    const [row] =
      await sql`select name, company_id from app.api_keys where key_hash = sha256(convert_to(${key}, 'UTF8'))`;
    const response = await call("", key);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    const key_name = row?.name;
    const expected = {
      ...{ version, company_name: name, key_name, scopes: allScopes, endpoints, expires_at: null },
      company_id: row?.company_id,
    };
    expect(await response.text()).toBe(JSON.stringify(expected));
  }
});

// Proves: requests.45
test("the base address answers the same with a trailing slash", async () => {
  for (const { key } of demo) {
    expect(await (await call("/", key)).text()).toBe(await (await call("", key)).text());
  }
});

// Proves: endpoints.1, authentication.7
test("the base address takes a key with any single scope and tells that scope", async () => {
  for (const scope of allScopes) {
    const { api_key, name } = await company.makeKey([scope]);
    const response = await call("", api_key);
    expect(response.status).toBe(200);
    const { scopes, key_name, company_name } = await response.json();
    expect({ scopes, key_name, company_name }).toEqual({ scopes: [scope], key_name: name, company_name: "Root" });
  }
});

test("the base address tells the scopes of a key in the order of the specification, however they were ticked", async () => {
  const { api_key } = await company.makeKey(["write:rewards", "read:rewards", "read:members"]);
  const { scopes } = await (await call("", api_key)).json();
  expect(scopes).toEqual(["read:members", "read:rewards", "write:rewards"]);
});
