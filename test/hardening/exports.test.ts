// A long history through public-data-api export: the file is exact, and little memory is needed. What an export leaves
// that was killed is in test/cli/export.test.ts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bin, root, runCommand } from "../../scripts/stack/process.ts";
import { type Customer, makeCrowd } from "../cli/connect/companies.ts";
import { environment, workFolder } from "../support/command_line.ts";
import { count, tried } from "../support/counts.ts";
import { besideNeighbour } from "../support/neighbour.ts";
import { dateTime, sql } from "../support/stack.ts";

const size = count(5_000, 1_000_000);
const folder = workFolder();
let customer: Customer;
beforeAll(async () => {
  // The built command, as users install it. From its sources, Node would also need memory for the compiler.
  await runCommand(process.execPath, [bin("vite"), "build", `${root}/cli`, "--outDir", folder, "--logLevel", "error"]);
  customer = await makeCrowd(1);
  const { id } = customer.company;
  await sql.begin(async (sql) => {
    // Triggers and foreign keys are off: checking them for each row would take most of the time.
    await sql`set local session_replication_role = replica`;
    await sql`
      insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
      select company_id, sender_id, receiver_id, category_id, 'No. ' || n, '2020-01-01Z'::timestamptz + n / 3 * interval '1 minute'
      from (select * from app.kudos where company_id = ${id}) as k, generate_series(1, ${size - 1}) as n`;
  });
});
afterAll(() => customer.company.remove());

/** Compares the file with the table, line by line. */
async function expectTable(): Promise<void> {
  const input = createReadStream(`${folder}/kudos.csv`);
  const lines = createInterface({ input, crlfDelay: Infinity })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toMatch(/^id,timestamp,.*,message,category,sender_id,receiver_id,category_id$/);
  const rows = sql<{ line: string }[]>`
    select concat_ws(',', k.id, ${dateTime("k.created_at")}, m.name, m.email, m.name, m.email, k.message, '"Team, ""play"""',
      k.sender_id, k.receiver_id, k.category_id) as line
    from app.kudos as k join app.members as m on m.company_id = k.company_id and m.id = k.sender_id
    where k.company_id = ${customer.company.id} order by k.created_at desc, k.id desc`;
  let compared = 0;
  for await (const batch of rows.cursor(10_000)) {
    for (const { line } of batch) {
      const { value } = await lines.next();
      if (value !== line) expect(value, `line ${compared + 2}`).toBe(line);
      compared++;
    }
  }
  expect((await lines.next()).done).toBe(true);
  expect(compared).toBe(size);
}

test("an export of a long history is every row of the table once, in under 150 MB", async () => {
  const args = [`${folder}/public-data-api.js`, "export", "activity", "--out", "kudos.csv"];
  const child = spawn(process.execPath, args, { cwd: folder, env: environment(customer.key), stdio: "ignore" });
  let megabytes = 0;
  const watch = setInterval(() => {
    const status = `/proc/${child.pid}/status`;
    const peak = existsSync(status) ? /VmHWM:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1] : undefined;
    megabytes = Math.max(megabytes, Math.round(Number(peak ?? 0) / 1024));
  }, 20);
  const [code] = await besideNeighbour(() => once(child, "exit"));
  clearInterval(watch);
  expect(code).toBe(0);
  await expectTable();
  expect(megabytes).toBeLessThan(150);
  tried(`an export of ${size} kudos: ${megabytes} MB at most`);
});
