// The database with test/vectors/api_keys.json, and common properties of the keys that it creates.
// test/function/credentials.test.ts tests the function with the same vectors.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { withDatabase } from "../../scripts/stack/database.ts";
import { root, runCommand } from "../../scripts/stack/process.ts";
import { stack } from "../support/stack.ts";
import vectors from "../vectors/api_keys.json" with { type: "json" };

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const keysOf = (some: { key: string }[]): string[] => some.map(({ key }) => key);

describe("the vectors", () => {
  test("the command of docs/operations.md tells them apart without any of our code", async () => {
    const page = await readFile(`${root}/docs/operations.md`, "utf8");
    const [command = ""] = /printf %s "\$KEY" \| python3 -c '[^']+'/.exec(page) ?? [];
    const script = `while IFS= read -r KEY; do ${command.replace(/\n {3}/g, "\n")}; done <<< "$KEYS"`;
    const told = async (keys: string[]) =>
      (await runCommand("bash", ["-ec", script], { env: { ...process.env, KEYS: keys.join("\n") } }))
        .trim()
        .split("\n");
    const lines = keysOf(vectors.invalid).filter((key) => !key.includes("\n"));
    expect(new Set(await told(keysOf(vectors.valid)))).toEqual(new Set(["ours"]));
    expect(new Set(await told(lines))).toEqual(new Set(["not ours"]));
  });

  // Proves: keys.6
  test("app.api_key_checksum agrees with every valid key", async () => {
    const computed = await withDatabase(
      stack.database_url,
      (sql) => sql`
        select key, encode(sha256(convert_to(key, 'UTF8')), 'hex') as sha256, app.api_key_checksum(left(key, -6)) as checksum
        from unnest(${keysOf(vectors.valid)}::text[]) as key`,
    );
    expect(vectors.valid.length).toBeGreaterThan(0);
    expect([...computed]).toEqual(vectors.valid);
  });

  // Proves: keys.6
  test("no invalid key has both the format and a right checksum", async () => {
    const passing = await withDatabase(
      stack.database_url,
      (sql) => sql`
        select key from unnest(${keysOf(vectors.invalid)}::text[]) as key
        where key ~ '^sk_live_[0-9A-Za-z]{38}$' and app.api_key_checksum(left(key, -6)) = right(key, 6)`,
    );
    expect(vectors.invalid.length).toBeGreaterThan(0);
    expect([...passing]).toEqual([]);
  });

  // Proves: keys.3
  test("the checksum is the CRC-32 that others compute, of texts of any length", async () => {
    const [computed] = await withDatabase(
      stack.database_url,
      (sql) => sql`select app.api_key_checksum('123456789') as digits, app.api_key_checksum('') as nothing`,
    );
    const base62 = (value: number): string =>
      Array.from({ length: 6 }, (_, place) => alphabet[Math.floor(value / 62 ** (5 - place)) % 62]).join("");
    // cbf43926 is the published check value of this CRC for the text 123456789.
    expect(computed).toEqual({ digits: base62(0xcbf43926), nothing: "000000" });
  });
});

describe("a thousand keys made by public.create_api_key", () => {
  let made: { api_key: string; hint: string; key_hash: Buffer }[];
  let checksums: string[];

  beforeAll(async () => {
    // As a signed-in admin of a demo company, in a transaction that is rolled back.
    await withDatabase(stack.database_url, async (sql) => {
      await sql`begin`;
      await sql`
        select set_config('request.jwt.claims', json_build_object('sub', a.user_id)::text, true)
        from app.member_accounts as a join app.members as m on m.company_id = a.company_id and m.id = a.member_id
        where m.role = 'admin' limit 1`;
      await sql`
        create temporary table made on commit drop as
        select public.create_api_key('Key ' || n) as key from generate_series(1, 1000) as n`;
      made = await sql`
        select key ->> 'api_key' as api_key, key ->> 'hint' as hint, k.key_hash
        from made join app.api_keys as k on k.id = (key ->> 'id')::uuid`;
      const computed = await sql`select app.api_key_checksum(left(key ->> 'api_key', -6)) as checksum from made`;
      checksums = computed.map(({ checksum }) => checksum);
      await sql`rollback`;
    });
  });

  // Proves: key.2, authentication.2, keys.1, keys.9
  test("have the format, sk_live_ and 38 characters of the alphabet", () => {
    expect(made).toHaveLength(1000);
    expect(made.filter(({ api_key }) => !/^sk_live_[0-9A-Za-z]{38}$/.test(api_key))).toEqual([]);
  });

  // Proves: keys.3
  test("pass the checksum", () => {
    expect(made.map(({ api_key }) => api_key.slice(-6)).sort()).toEqual(checksums.sort());
  });

  // Proves: keys.2
  test("are all different, in every character that is drawn", () => {
    expect(new Set(made.map(({ api_key }) => api_key)).size).toBe(1000);
    for (let place = 8; place < 40; place += 1) {
      // Each of the 62 characters is missing from 1,000 draws once in eleven million times.
      expect(new Set(made.map(({ api_key }) => api_key[place])).size, `character ${place}`).toBeGreaterThan(58);
    }
  });

  // Proves: keys.2
  test("use every character of the alphabet as often as any other", () => {
    const drawn = made.flatMap(({ api_key }) => [...api_key.slice(8, 40)]);
    const fair = drawn.length / alphabet.length;
    const chiSquare = [...alphabet]
      .map((character) => (drawn.filter((one) => one === character).length - fair) ** 2 / fair)
      .reduce((sum, part) => sum + part, 0);
    // The expected value is 61. Fair draws exceed 150 less than once in a hundred million runs. Bytes taken modulo 62
    // would give about 270.
    expect(chiSquare).toBeLessThan(150);
  });

  // Proves: keys.11, keys.12, risk.2
  test("are stored as their SHA-256, and shown by their last four characters", () => {
    const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
    expect(made.map(({ key_hash }) => key_hash.toString("hex"))).toEqual(made.map(({ api_key }) => sha256(api_key)));
    expect(made.map(({ hint }) => hint)).toEqual(made.map(({ api_key }) => `sk_live_…${api_key.slice(-4)}`));
  });
});

// Proves: keys.2, keys.8
test("a key is drawn from extensions.gen_random_bytes and from nothing else; bytes from 248 on are thrown away", async () => {
  const keys = await withDatabase(stack.superuser_url, async (sql) => {
    await sql`begin`;
    // Bytes that are thrown away (f8, ff, fe, fc) between the bytes 0, 61, 62 and 247: the first and last character of
    // the alphabet, each from the lowest and the highest byte range.
    await sql`
      create or replace function extensions.gen_random_bytes(integer) returns bytea language sql
      return substring(decode(repeat('f8003dff3ef7fcfe', 4), 'hex') from 1 for $1)`;
    const rows = await sql`select app.new_api_key() as key from generate_series(1, 2)`;
    await sql`rollback`;
    return rows.map(({ key }): string => key);
  });
  expect(keys.map((key) => key.slice(0, -6))).toEqual(Array(2).fill(`sk_live_${"0z0z".repeat(8)}`));
});
