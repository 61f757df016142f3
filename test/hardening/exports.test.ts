// A long history through public-data-api export needs little memory. That the file is exact, and what an export leaves that
// was killed, is in test/cli/export.test.ts.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { beforeAll, expect, test } from "vitest";
import { bin, root, runCommand } from "../../scripts/stack/process.ts";
import { environment, runProgram, workFolder } from "../support/command_line.ts";
import { companyOfFile } from "../support/companies.ts";
import { count, tried } from "../support/counts.ts";
import { besideNeighbour } from "../support/neighbour.ts";
import { sql } from "../support/stack.ts";

const size = count(5_000, 1_000_000);
const folder = workFolder();
const { company, key } = await companyOfFile("A long history");
beforeAll(async () => {
  // The built command, as users install it. From its sources, Node would also need memory for the compiler.
  await runCommand(process.execPath, [bin("vite"), "build", `${root}/cli`, "--outDir", folder, "--logLevel", "error"]);
  await sql`insert into app.categories (company_id) values (${company.id})`;
  await sql.begin(async (sql) => {
    // Triggers and foreign keys are off: checking them for each row would take most of the time.
    await sql`set local session_replication_role = replica`;
    await sql`
      insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
      select company_id, m.id, m.id, c.id, 'No. ' || n, '2020-01-01Z'::timestamptz + n / 3 * interval '1 minute'
      from app.members as m join app.categories as c using (company_id), generate_series(1, ${size}::int) as n
      where company_id = ${company.id}`;
  });
});

test("an export of a long history needs little memory", async () => {
  // What Node and the compiled command take by themselves, and some pages.
  const args = ["--max-old-space-size=48", `${folder}/public-data-api.js`, "export", "activity", "--out", "kudos.csv"];
  const { code, stderr } = await besideNeighbour(() => runProgram(process.execPath, args, folder, environment(key)));
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const lines = createInterface({ input: createReadStream(`${folder}/kudos.csv`) });
  expect(await Array.fromAsync(lines, ({ length }) => length)).toHaveLength(1 + size);
  tried(`an export of ${size} kudos, in a heap of 48 MB`);
});
