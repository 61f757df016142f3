// npm run check-database when roles are damaged, which all databases of a server share: nothing else runs meanwhile.
import { afterAll, expect, test } from "vitest";
import { checkDatabase } from "../support/check_database.ts";
import { newProject, removeProjects } from "../support/two_projects.ts";

afterAll(removeProjects);

test("the command says what it compared, also of roles, and what it cannot compare", async () => {
  const project = await newProject();
  expect(await checkDatabase(project, 0)).toBe("Nothing differs from the migrations\n");
  try {
    await project.sql.unsafe("alter role anon bypassrls; grant public_api to anon; drop policy api_read on app.kudos");
    expect((await checkDatabase(project)).split("\n")).toEqual([
      "policy api_read on app.kudos is missing, or belongs to somebody else",
      "role anon is bypassrls, not not there",
      "role anon as public_api is a member, not not there",
      expect.stringContaining("role anon must not be a member of public_api"),
      expect.stringContaining("role anon must not be a superuser, bypass row-level security, inherit or sign in"),
      expect.stringContaining("table app.kudos must have a policy for public_api: every company gets no rows of it"),
      "6 differ",
      "",
    ]);
  } finally {
    await project.sql.unsafe("alter role anon nobypassrls; revoke public_api from anon");
  }
  await project.sql`delete from supabase_migrations.schema_migrations where version = (select max(version) from supabase_migrations.schema_migrations)`;
  expect(await checkDatabase(project, 2)).toContain("push the migrations");
  expect(await checkDatabase({ ...project, url: "postgres://" }, 2)).toMatch(/^DATABASE_URL must be/);
});
