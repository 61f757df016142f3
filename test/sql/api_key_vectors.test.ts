// The database with the vectors of keys and of their names (test/vectors), and common properties of the keys it makes.
// test/function/credentials.test.ts tests the function with the same keys.
import { expect, test } from "vitest";
import { withDatabase } from "../../scripts/stack/database.ts";
import { runCommand } from "../../scripts/stack/process.ts";
import { read } from "../support/pages.ts";
import { first, hashOf, sql, stack } from "../support/stack.ts";
import vectors from "../vectors/api_keys.json" with { type: "json" };
import names from "../vectors/key_names.json" with { type: "json" };

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const [valid, invalid] = [Object.keys(vectors.valid), Object.values(vectors.invalid)];

test("the command of docs/operate/incidents.md tells valid from invalid keys without any of our code", async () => {
  const [command = ""] = /printf %s "\$KEY" \| python3 -c '[^']+'/.exec(read("docs/operate/incidents.md")) ?? [];
  const script = `while IFS= read -r KEY; do ${command.replace(/\n {3}/g, "\n")}; done <<< "$KEYS"`;
  const answers = async (keys: string[]) => {
    const env = { ...process.env, KEYS: keys.filter((key) => !key.includes("\n")).join("\n") };
    return new Set((await runCommand("bash", ["-ec", script], { env })).trim().split("\n"));
  };
  expect(await answers(valid)).toEqual(new Set(["ours"]));
  expect(await answers(invalid)).toEqual(new Set(["not ours"]));
});

// Proves: keys.3, keys.6
test("app.api_key_checksum agrees with every valid key, and with no invalid one that has the format", async () => {
  const computed = await sql`
      select key, encode(sha256(convert_to(key, 'UTF8')), 'hex') as sha256, app.api_key_checksum(left(key, -6)) as checksum
      from unnest(${valid}::text[]) as key`;
  const expected = Object.entries(vectors.valid).map(([key, sha256]) => ({ key, sha256, checksum: key.slice(-6) }));
  expect([...computed]).toEqual(expected);
  const passing = await sql`
      select key from unnest(${invalid}::text[]) as key
      where key ~ '^sk_live_[0-9A-Za-z]{38}$' and app.api_key_checksum(left(key, -6)) = right(key, 6)`;
  expect([...passing]).toEqual([]);
});

/** A thousand keys of an admin of a demo company, in a transaction that is rolled back. */
const made = await withDatabase(stack.superuser_url, async (operator) => {
  await operator`begin`;
  await operator`
        select set_config('request.jwt.claims', json_build_object('sub', a.user_id)::text, true)
        from app.member_accounts as a join app.members as m on m.company_id = a.company_id and m.id = a.member_id
        where m.role = 'admin' and a.company_id = ${first.id}`;
  await operator`
        create temporary table made on commit drop as
        select public.create_api_key('Key ' || n) as key from generate_series(1, 1000) as n`;
  const keys = await operator<Record<"api_key" | "hint" | "hash" | "checksum", string>[]>`
        select key ->> 'api_key' as api_key, key ->> 'hint' as hint, encode(k.key_hash, 'hex') as hash,
          app.api_key_checksum(left(key ->> 'api_key', -6)) as checksum
        from made join app.api_keys as k on k.id = (key ->> 'id')::uuid`;
  await operator`rollback`;
  return keys;
});

// Proves: key.2, authentication.2, keys.1, keys.3, keys.9, keys.11, keys.12, risk.2
test("keys that are made have the format, sk_live_ and 38 characters of the alphabet, and pass the checksum; they are stored as their SHA-256, and shown by their last four characters", () => {
  expect(made).toHaveLength(1000);
  expect(made.filter(({ api_key }) => !/^sk_live_[0-9A-Za-z]{38}$/.test(api_key))).toEqual([]);
  expect(made.filter(({ api_key, checksum }) => !api_key.endsWith(checksum))).toEqual([]);
  expect(made.map(({ hash }) => hash)).toEqual(made.map(({ api_key }) => hashOf(api_key)));
  expect(made.map(({ hint }) => hint)).toEqual(made.map(({ api_key }) => `sk_live_…${api_key.slice(-4)}`));
});

// Proves: keys.2, keys.8
test("a key is drawn from extensions.gen_random_bytes and from nothing else, each character from as many bytes; bytes from 248 on are thrown away", async () => {
  const drawn = await withDatabase(stack.superuser_url, async (operator) => {
    await operator`begin`;
    // All 256 bytes in order, then from the beginning again.
    await operator`create temporary sequence next_byte minvalue 0`;
    await operator`
      create or replace function extensions.gen_random_bytes(count integer) returns bytea language sql
      return (select string_agg(set_byte('\\x00', 0, (nextval('pg_temp.next_byte') % 256)::integer), '') from generate_series(1, count))`;
    const keys = await operator`select substr(app.new_api_key(), 9, 32) as drawn from generate_series(1, 9)`;
    await operator`rollback`;
    return keys.map(({ drawn }) => drawn).join("");
  });
  // The eighth key cannot use bytes 248 to 255, so it takes bytes 0 to 7 from another 32. The ninth begins at byte 32.
  expect(drawn).toBe(alphabet.repeat(4) + alphabet.slice(0, 8) + alphabet.slice(32) + alphabet.slice(0, 2));
});

const empty = "name must be a text of 1 to 100 characters";
const hidden = "name must be a text without control characters, direction marks and invisible characters";
/** What the database says to a name. */
const answer = (name: string): Promise<string> =>
  sql`select app.check_api_key_name(${name})`.then(
    () => "good",
    ({ message }) => message,
  );

// Proves: keys.19
test.each([
  ["good", names.good],
  [empty, names.empty],
  [hidden, names.hidden],
])("of names: %s", async (expected, some) => {
  for (const name of some) expect([name, await answer(name)]).toEqual([name, expected]);
});
