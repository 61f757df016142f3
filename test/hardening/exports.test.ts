// A long history through public-data-api export needs little memory. That the file is exact, and what an export leaves that
// was killed, is in test/cli/export.test.ts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { beforeAll, expect, test } from "vitest";
import { bin, root, runCommand } from "../../scripts/stack/process.ts";
import { environment, workFolder } from "../support/command_line.ts";
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

test("an export of a long history takes under 150 MB", async () => {
  const args = [`${folder}/public-data-api.js`, "export", "activity", "--out", "kudos.csv"];
  const child = spawn(process.execPath, args, { cwd: folder, env: environment(key), stdio: "ignore" });
  let megabytes = 0;
  const watch = setInterval(() => {
    const status = `/proc/${child.pid}/status`;
    const peak = existsSync(status) ? /VmHWM:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1] : undefined;
    megabytes = Math.max(megabytes, Math.round(Number(peak ?? 0) / 1024));
  }, 20);
  const [code] = await besideNeighbour(() => once(child, "exit"));
  clearInterval(watch);
  expect(code).toBe(0);
  const lines = createInterface({ input: createReadStream(`${folder}/kudos.csv`) });
  expect(await Array.fromAsync(lines, ({ length }) => length)).toHaveLength(1 + size);
  expect(megabytes).toBeLessThan(150);
  tried(`an export of ${size} kudos: ${megabytes} MB at most`);
});
