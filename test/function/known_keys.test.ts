// Which keys an instance of the function remembers (docs/api.md, Limits).
import { expect, test } from "vitest";
import { KnownKeys } from "../../functions/public-api/line/known_keys.ts";

const add = (keys: KnownKeys, key: string, company_id: string) => keys.add(key, { key_id: `id of ${key}`, company_id });

// Proves: requests.65
test("200 keys of a company are known, and those of others beside them", () => {
  const keys = new KnownKeys();
  add(keys, "B", "b");
  for (let n = 0; n < 201; n++) add(keys, `A ${n}`, "a");
  const known = ["B", "A 0", "A 1", "A 200"].map((key) => keys.get(key)?.key_id);
  expect(known).toEqual(["id of B", undefined, "id of A 1", "id of A 200"]);
});

test("of 100,000 keys the oldest of the company with the most goes first, and one at a time", () => {
  const keys = new KnownKeys();
  // Older than any of the largest company.
  add(keys, "0", "company 0");
  add(keys, "large 1", "large");
  for (let n = 1; n < 99_997; n++) add(keys, `${n}`, `company ${n}`);
  add(keys, "large 2", "large");
  add(keys, "large 3", "large");
  const known = () =>
    ["large 1", "0", "1", "99996", "large 2", "large 3", "new", "newer"].filter((key) => keys.get(key));
  expect(known()).toEqual(["large 1", "0", "1", "99996", "large 2", "large 3"]);
  add(keys, "new", "n");
  expect(known()).toEqual(["0", "1", "99996", "large 2", "large 3", "new"]);
  keys.delete("large 2");
  keys.delete("large 3");
  for (const key of ["newer", "newest"]) add(keys, key, key);
  expect(known()).toEqual(["0", "1", "99996", "new", "newer"]);
  add(keys, "one more", "one more");
  expect(known()).toEqual(["1", "99996", "new", "newer"]);
});
