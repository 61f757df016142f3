// What a caller gets when the service itself fails (docs/api.md, Errors): a 500 without details, and a line in the log
// that names the failure. Each failure is a real one: it is caused in the database and undone at once.
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { call, expectError, functionLog, importRewards, sql } from "../support/stack.ts";

let company: TestCompany;
let key: string;
beforeAll(async () => {
  company = await newCompany("Failures");
  key = (await company.makeKey()).api_key;
});
afterAll(() => company.remove());

const list = "public.list_pulse_responses";
const upsert = "public.upsert_rewards(text, text)";

/** Runs `use` while something in the database is broken, and repairs it afterwards. */
async function broken(breakIt: string, mendIt: string, use: () => Promise<void>): Promise<void> {
  await sql.unsafe(breakIt);
  try {
    await use();
  } finally {
    await sql.unsafe(mendIt);
  }
}

/** Expects a 500 that does not tell why. The log has the reason, in the line with the request id. */
async function expectFailure(response: Response, logged: RegExp): Promise<void> {
  const id = response.headers.get("X-Request-Id") ?? "no request id";
  await expectError(response, 500, "Internal Server Error");
  const find = () =>
    functionLog()
      .split("\n")
      .find((line) => line.includes(id));
  await expect.poll(find).toMatch(logged);
}

// Proves: errors.10, requests.55
test("a failure on the service's side is a 500 whose details stand only in the log, beside the request id", async () => {
  await broken(
    `revoke execute on function ${list} from service_role`,
    `grant execute on function ${list} to service_role`,
    async () => {
      await expectFailure(
        await call("/pulse-responses", key),
        /"error":"list_pulse_responses answered \d+ with 42501"/,
      );
      await expectFailure(await call("/pulse-responses?format=csv", key), /42501/);
    },
  );
  expect((await call("/pulse-responses", key)).status).toBe(200);
});

test("a function that has lost its owner answers 500 rather than every company's rows", async () => {
  await broken(`alter function ${list} owner to postgres`, `alter function ${list} owner to public_api`, async () => {
    await expectFailure(await call("/pulse-responses", key), /"error":"list_pulse_responses answered 500 with PT500"/);
  });
  expect(await (await call("/pulse-responses", key)).json()).toEqual([]);
});

// Proves: requests.55
test("an import that fails on the service's side writes nothing", async () => {
  const reward = { external_id: "failed", name: "Failed", points_cost: 1 };
  const trigger = "app_test_failure";
  const refuse = `
    create function app.${trigger}() returns trigger language plpgsql as $$ begin raise exception 'secret detail'; end $$;
    create trigger ${trigger} before insert on app.rewards for each row when (new.name = 'Failed') execute function app.${trigger}()`;
  await broken(refuse, `drop function app.${trigger}() cascade`, async () => {
    const response = await importRewards(key, [{ ...reward, external_id: "first", name: "First" }, reward]);
    await expectFailure(response, /"error":"upsert_rewards answered/);
  });
  expect(await sql`select from app.rewards where company_id = ${company.id}`).toHaveLength(0);
  expect(functionLog()).not.toContain("secret detail");
  await broken(
    `revoke execute on function ${upsert} from service_role`,
    `grant execute on function ${upsert} to service_role`,
    async () => {
      await expectFailure(await importRewards(key, reward), /42501/);
    },
  );
});
