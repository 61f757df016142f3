// What the Data API (/rest/v1) gives to whom, with the real supabase-js. Every table and view of every schema is read from
// the catalog and tried; who may call which function is in test/sql/020_who_may_do_what.sql, and what a key is needed for in 050_authenticate.sql.
// The local Data API serves functions only; PostgREST has a code of its own for a schema that is not exposed.
import { expect, test } from "vitest";
import { client, companyOfFile, signUp } from "../support/companies.ts";
import { sql, stack } from "../support/stack.ts";

const { company } = await companyOfFile("Isolation");
const actors = {
  anonymous: client(),
  outsider: await signUp(company.emailOf("Outsider")),
  member: await company.signIn("Plain Member", "employee"),
  admin: company.admin,
  secretKey: client(stack.secret_key),
};

// Proves: layer.6
test("nobody reaches a table or a view through the Data API, in whatever schema", async () => {
  const relations = await sql<{ schema: string; name: string }[]>`
    select relnamespace::regnamespace::text as schema, relname as name
    from pg_class where relnamespace::regnamespace::text !~ '^(pg_|information_schema)' and relkind in ('r', 'v', 'm', 'f', 'p')`;
  expect(relations.length).toBeGreaterThan(20);
  for (const [actor, supabase] of Object.entries(actors)) {
    for (const { schema, name } of relations) {
      const hidden = await supabase.schema(schema).from(name).select("*").limit(1);
      const { error } = await supabase.from(name).update({ name: "X" }).eq("name", "Y");
      const codes = { read: hidden.error?.code, written: error?.code };
      const refused = { read: expect.stringMatching(/^PGRST(106|205)$/), written: "PGRST205" };
      expect({ actor, schema, name, ...codes }).toEqual({ actor, schema, name, ...refused });
    }
  }
});
