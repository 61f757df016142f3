// Requests, revokes and sign-ins at the same time, each on a separate connection: what waits for what, and how many
// requests of one company run at once, over all its keys.
import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { createCompany, type ProjectCompany, returned, signIn } from "../support/project_companies.ts";
import { type IsolationLevel, isolationLevels, upsert } from "../support/rpc.ts";
import { hashOf, sql, stack } from "../support/stack.ts";
import { waitsForLock } from "../support/two_projects.ts";

const connect = (): postgres.Sql => postgres(stack.database_url, { max: 1, onnotice: () => {} });
const connections = [connect(), connect(), connect(), connect(), connect(), connect()] as const;
const [one, other, , , fifth, sixth] = connections;
const pidOfOther = await pidOf(other);
type Key = { id: string; api_key: string };
let company: ProjectCompany;
/** A second key of the company, which may only read members. */
let reader: Key;

beforeEach(async () => {
  company = await createCompany(sql, "Locks");
  reader = await returned(sql, company.admin, "public.create_api_key('reader', '{read:members}')");
});
afterEach(async () => {
  await Promise.all(connections.map((connection) => connection`rollback`));
  await at("read committed");
  await sql`select app.delete_company(${company.id})`;
});
afterAll(() => Promise.all(connections.map((connection) => connection.end({ timeout: 5 }))));

/** From here on, the transactions of these two connections have this isolation level. */
const at = (level: IsolationLevel) =>
  Promise.all([one, other].map((each) => each`select set_config('default_transaction_isolation', ${level}, false)`));

/** A request as the function makes it, in a transaction that stays open. Returns the name of its key. */
async function request(connection: postgres.Sql, key = company.key, scope = "read:members"): Promise<string> {
  await connection`begin`;
  await connection`set local role service_role`;
  const [row] = await connection`select public.verify_api_key(${hashOf(key)}, ${scope}) ->> 'key_name' as name`;
  return row?.name;
}

/** A request that gets this error. */
async function fails(connection: postgres.Sql, error: object, key?: string, scope?: string): Promise<void> {
  await expect(request(connection, key, scope)).rejects.toMatchObject(error);
  await connection`rollback`;
}

/** Acts as a signed-in person, in a transaction that stays open. */
async function beginAs(connection: postgres.Sql, user: string): Promise<void> {
  await connection`begin`;
  await signIn(connection, user);
}

async function pidOf(connection: postgres.Sql): Promise<number> {
  return (await connection`select pg_backend_pid() as pid`)[0]?.pid;
}

const lastUse = async (): Promise<Date | null> =>
  (await sql`select max(last_used_at) as at from app.api_key_uses where company_id = ${company.id}`)[0]?.at;

describe.each(isolationLevels)("at %s", (level) => {
  beforeEach(() => at(level));

  // Proves: keys.33
  test("neither a request, a quick check nor the note of a refusal waits for a request that is recording a use", async () => {
    const revoked = await returned<Key>(sql, company.admin, "public.create_api_key('dead')");
    await returned(sql, company.admin, `public.revoke_api_key('${revoked.id}')`);
    await request(one);
    // And for the rows of other keys, which somebody else holds.
    await one`reset role`;
    await one`select from app.api_key_uses where company_id = ${company.id} for update`;
    for (const headers of ["{}", '{"x-quick-check": "true"}']) {
      await other`select set_config('request.headers', ${headers}, false)`;
      expect(await request(other)).toBe("in use");
      await other`commit`;
    }
    expect(await lastUse(), "the one that came second leaves the row to the first").toBeNull();
    const refusals = await other`
      select public.note_refused_use(${hashOf(revoked.api_key)}, null) as dead,
        public.note_refused_use(${hashOf(reader.api_key)}, 'read:rewards') as forbidden`;
    expect([...refusals]).toEqual([{ dead: false, forbidden: false }]);
    await other`reset request.headers`;
    await one`commit`;
    expect(await lastUse()).toBeInstanceOf(Date);
  });

  // Proves: keys.35, layer.10
  test("a revoke does not wait for an import that is still running, and the next request is refused", async () => {
    const [key] = await sql`select id from app.api_keys where company_id = ${company.id} and name = 'in use'`;
    await one`begin`;
    await one`set local role service_role`;
    // It has its result, has recorded the use of the key, and holds locks on the rows that it wrote.
    expect(await upsert(one, company.key, [{ external_id: "slow", name: "Slow", points_cost: 1 }])).toBe(1);
    await returned(other, company.admin, `public.revoke_api_key('${key?.id}')`);
    await expect(request(other)).rejects.toMatchObject({ code: "PT401" });
    // The slow request began before the revoke and still succeeds.
    await one`commit`;
    expect(await sql`select from app.rewards where company_id = ${company.id}`).toHaveLength(1);
  });

  // Proves: keys.39
  test("a request does not wait for a revoke that has not been committed, and the next one after the commit is refused", async () => {
    await beginAs(one, company.admin);
    await one`select public.revoke_api_key(${reader.id})`;
    expect(await request(other, reader.api_key)).toBe("reader");
    await other`commit`;
    await one`commit`;
    await expect(request(other, reader.api_key)).rejects.toMatchObject({ code: "PT401" });
  });
});

test("what a request has verified and answered ends with its transaction, also on a connection that is used again", async () => {
  const left = () => one`
    select (select count(*)::int from app.members) as members, app.current_company_id() as company,
      coalesce(current_setting('response.headers', true), '') as headers`;
  await request(one);
  await one`set local role public_api`;
  expect(await left()).toMatchObject([{ members: 1, company: company.id, headers: expect.stringMatching(company.id) }]);
  await one`commit`;
  await one`begin`;
  await one`set local role public_api`;
  expect([...(await left())]).toEqual([{ members: 0, company: null, headers: "" }]);
});

test("a new key stands in no setting of the connection that made it, once its transaction is over", async () => {
  await beginAs(one, company.admin);
  await one`select public.create_api_key('kept')`;
  await one`commit`;
  const [left] = await one`select coalesce(current_setting('app.new_api_key', true), '') as key`;
  expect(left).toEqual({ key: "" });
});

test("kudos that are committed while a page of them is being made come with the name of their category", async () => {
  await one`begin`;
  await one`
    with category as (insert into app.categories (company_id) values (${company.id}) returning company_id, id),
    name as (insert into app.category_names (company_id, category_id, language, name) select company_id, id, 'en', 'New' from category)
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message)
    select m.company_id, m.id, m.id, category.id, 'Thanks' from category join app.members as m using (company_id) limit 1`;
  // A statement that reads kudos has to wait here. What it read before kudos, it read without the new category.
  await one`lock table app.kudos in access exclusive mode`;
  const page = other`select public.list_activity(${hashOf(company.key)}, 10) -> 0 ->> 'category' as category`.execute();
  await waitsForLock(pidOfOther);
  await one`commit`;
  expect(await page).toMatchObject([{ category: "New" }]);
});

/** A member without an account, and two accounts with the address of this member: Auth compares it with case. */
async function unlinkedMember(): Promise<[string, string]> {
  const email = `${randomUUID()}@locks.example`;
  const users: [string, string] = [randomUUID(), randomUUID()];
  await sql`insert into app.members (company_id, name, email) values (${company.id}, 'New here', ${email})`;
  await sql`
    insert into auth.users (id, email, email_confirmed_at)
    values (${users[0]}, ${email}, now()), (${users[1]}, ${email.toUpperCase()}, now())`;
  return users;
}

/** The first call of link_member, in a transaction that stays open. */
async function link(connection: postgres.Sql, user: string): Promise<string> {
  await beginAs(connection, user);
  const [row] = await connection`select public.link_member() ->> 'status' as status`;
  return row?.status;
}

test.each([
  ["of one sign-in: both are linked", 0, "linked"],
  ["of two sign-ins that claim one member: the second finds no member", 1, "no_member"],
] as const)("two first calls of link_member at once, %s", async (_what, index, status) => {
  const users = await unlinkedMember();
  expect(await link(one, users[0])).toBe("linked");
  const second = link(other, users[index]);
  await waitsForLock(pidOfOther);
  await one`commit`;
  expect(await second).toBe(status);
  await other`commit`;
  const linked = await sql`select user_id from app.member_accounts where user_id = any (${users})`;
  expect([...linked]).toEqual([{ user_id: users[0] }]);
});

test("a first call of link_member that looks for the member after another call has linked them answers linked too", async () => {
  const [user] = await unlinkedMember();
  // A call that looks for the member has to wait here. It has already seen that the account is linked to no member.
  await one`begin`;
  await one`lock table app.members in access exclusive mode`;
  const status = link(other, user);
  await waitsForLock(pidOfOther);
  await one`
    insert into app.member_accounts (user_id, company_id, member_id)
    select u.id, m.company_id, m.id from auth.users as u join app.members as m on lower(m.email) = lower(u.email) where u.id = ${user}`;
  await one`commit`;
  expect(await status).toBe("linked");
});

/** Four requests of the company that have not ended, with both keys. */
async function beginFour(): Promise<void> {
  for (const [index, connection] of connections.slice(0, 4).entries())
    await request(connection, index % 2 === 0 ? company.key : reader.api_key);
}
const refused = { code: "PT429", message: "Too Many Requests" };

// Proves: requests.61
test("of five requests at once, with two keys, four are answered and the fifth is refused; a bad key gets its own error, and another company is answered", async () => {
  await beginFour();
  const error = await request(fifth, reader.api_key).catch((error: postgres.PostgresError) => error);
  expect(error).toMatchObject(refused);
  const { detail = "null" } = error as postgres.PostgresError;
  expect(JSON.parse(detail), "for the log").toEqual({ key_id: reader.id, company_id: company.id });
  await fifth`rollback`;
  await fails(fifth, refused, company.key, "write:rewards");
  await fails(fifth, { code: "PT401" }, "sk_live_unknown");
  await fails(fifth, { code: "PT403" }, reader.api_key, "write:rewards");
  const neighbour = await createCompany(sql, "Other");
  expect(await request(sixth, neighbour.key)).toBe("in use");
  await sixth`commit`;
  await sql`select app.delete_company(${neighbour.id})`;
});

// Proves: requests.63
test.each<[how: string, end: () => Promise<unknown>]>([
  ["is committed", () => one`commit`],
  ["is rolled back", () => one`rollback`],
  ["dies with its connection", async () => sql`select pg_terminate_backend(${await pidOf(one)}, 5000)`],
])("when one of four requests %s, one more is answered, and nothing is left behind", async (_how, end) => {
  await beginFour();
  await fails(fifth, refused);
  await end();
  // A transaction that sends a second request has its place already.
  const [again] = await other`select public.verify_api_key(${hashOf(reader.api_key)}) ->> 'key_name' as name`;
  expect(again?.name).toBe("reader");
  expect(await request(fifth)).toBe("in use");
  await fails(sixth, refused);
  for (const connection of connections.slice(1)) await connection`rollback`;
  const pids = await Promise.all(connections.slice(1).map(pidOf));
  expect(await sql`select from pg_locks where locktype = 'advisory' and pid = any (${pids})`).toHaveLength(0);
});

// Proves: requests.62
test("an operator can replace the number, and a session that is connected follows", async () => {
  await request(fifth);
  await fifth`commit`;
  await beginFour();
  await fails(fifth, refused);
  // Undone with its transaction, which sees it already.
  await fifth`begin`;
  await fifth`
    create or replace function app.requests_at_once() returns integer
    language sql stable set search_path = '' return 5`;
  expect(await request(fifth)).toBe("in use");
});

/** A total of a company, as the function asks for it, in a transaction that stays open. */
async function total(connection: postgres.Sql, key: string): Promise<void> {
  await connection`begin`;
  await connection`set local role service_role`;
  await connection`select public.count_activity(${hashOf(key)}, '{month}')`;
}

// Proves: requests.61
test("two companies count at once, each one total; others are refused until one has ended, and their pages are answered", async () => {
  const companies = [company, await createCompany(sql, "Second"), await createCompany(sql, "Third")] as const;
  const [first, second, third] = companies.map(({ key }) => key) as [string, string, string];
  await total(one, first);
  await expect(total(other, first), "a second of the company").rejects.toMatchObject(refused);
  await other`rollback`;
  await total(other, second);
  await expect(total(fifth, third)).rejects.toMatchObject(refused);
  await fifth`rollback`;
  expect(await request(fifth, third)).toBe("in use");
  await fifth`commit`;
  await one`commit`;
  await total(fifth, third);
  await Promise.all(connections.map((connection) => connection`rollback`));
  for (const { id } of companies.slice(1)) await sql`select app.delete_company(${id})`;
});
