// Which transaction waits for which: requests, revokes and sign-ins at the same time, on two connections.
import { randomUUID } from "node:crypto";
import type { ReservedSql } from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type ApiKey, newCompany, type TestCompany } from "../support/companies.ts";
import { hashOf, sql } from "../support/stack.ts";

let company: TestCompany;
let key: ApiKey;
let one: ReservedSql;
let other: ReservedSql;

beforeAll(async () => {
  company = await newCompany("Locks");
});
beforeEach(async () => {
  key = await company.makeKey();
  [one, other] = [await sql.reserve(), await sql.reserve()];
});
afterEach(async () => {
  for (const connection of [one, other]) {
    await connection`rollback`;
    connection.release();
  }
});
afterAll(() => company.remove());

/** A request as the function makes it, in a transaction that stays open. */
async function request(connection: ReservedSql): Promise<unknown> {
  const hash = hashOf(key.api_key);
  await connection`begin`;
  await connection`set local role service_role`;
  const [row] = await connection`select public.verify_api_key(${hash}) as answer`;
  return row?.answer;
}

/** Acts as the company's signed-in admin, in a transaction that stays open. */
async function signIn(connection: ReservedSql): Promise<void> {
  await connection`begin`;
  await connection`
    select set_config('request.jwt.claims', json_build_object('sub', user_id)::text, true)
    from app.member_accounts where company_id = ${company.id}`;
  await connection`set local role authenticated`;
}

const lastUse = async (): Promise<Date | null> => {
  const [row] = await sql`select last_used_at from app.api_key_uses where key_id = ${key.id}`;
  return row?.last_used_at;
};

// Proves: keys.33
test("a request does not wait for another one that is recording the last use", async () => {
  await request(one);
  expect(await request(other)).toMatchObject({ key_name: key.name });
  await other`commit`;
  expect(await lastUse(), "the one that came second leaves the row to the first").toBeNull();
  await one`commit`;
  expect(await lastUse()).toBeInstanceOf(Date);
});

// Proves: keys.35
test("a revoke does not wait for a request that is still running, and the next request is refused", async () => {
  await request(one);
  await signIn(other);
  await other`select public.revoke_api_key(${key.id})`;
  await other`commit`;
  await expect(request(other)).rejects.toMatchObject({ code: "PT401" });
  // The slow request began before the revoke and still succeeds.
  await one`commit`;
});

// Proves: keys.39
test("a request does not wait for a revoke that has not been committed, and the next one after the commit is refused", async () => {
  await signIn(one);
  await one`select public.revoke_api_key(${key.id})`;
  expect(await request(other)).toMatchObject({ key_name: key.name });
  await other`commit`;
  await one`commit`;
  await expect(request(other)).rejects.toMatchObject({ code: "PT401" });
});

test("what a request has verified and answered ends with its transaction, also on a connection that is used again", async () => {
  const left = () => one`
    select (select count(*)::int from app.members) as members, app.current_company_id() as company,
      coalesce(current_setting('response.headers', true), '') as headers`;
  await request(one);
  await one`set local role public_api`;
  expect(await left()).toMatchObject([
    { members: 1, company: company.id, headers: expect.stringContaining(company.id) },
  ]);
  await one`commit`;
  await one`begin`;
  await one`set local role public_api`;
  expect([...(await left())]).toEqual([{ members: 0, company: null, headers: "" }]);
});

test("kudos that are committed while a page of them is being made come with the name of their category", async () => {
  const [asked] = await other`select pg_backend_pid() as pid`;
  await one`begin`;
  await one`
    with category as (insert into app.categories (company_id) values (${company.id}) returning company_id, id),
    name as (insert into app.category_names (company_id, category_id, language, name) select company_id, id, 'en', 'New' from category)
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message)
    select m.company_id, m.id, m.id, category.id, 'Thanks' from category join app.members as m using (company_id) limit 1`;
  // A statement that reads kudos has to wait here. What it read before kudos, it read without the new category.
  await one`lock table app.kudos in access exclusive mode`;
  const hash = hashOf(key.api_key);
  const page = other`select public.list_activity(${hash}, 10) -> 0 ->> 'category' as category`.execute();
  const waiting = () => sql`select from pg_locks where not granted and pid = ${asked?.pid}`.then((rows) => rows.length);
  await expect.poll(waiting, { interval: 5 }).toBe(1);
  await one`commit`;
  expect(await page).toMatchObject([{ category: "New" }]);
});

/** A member without an account, and two accounts with the address of this member. */
async function unlinkedMember(): Promise<[string, string]> {
  const [name, domain] = [randomUUID(), company.admin_email.split("@")[1]];
  const email = `${name}@${domain}`;
  const users: [string, string] = [randomUUID(), randomUUID()];
  await sql`insert into app.members (company_id, name, email) values (${company.id}, 'New here', ${email})`;
  // Auth compares addresses with case, and the link to members compares them without case. So two accounts can have the
  // same address.
  await sql`insert into auth.users (id, email, email_confirmed_at) values (${users[0]}, ${email}, now())`;
  await sql`insert into auth.users (id, email, email_confirmed_at) values (${users[1]}, ${`${name.toUpperCase()}@${domain}`}, now())`;
  return users;
}

/** The first call of link_member, in a transaction that stays open. */
async function link(connection: ReservedSql, user: string): Promise<string> {
  await connection`begin`;
  await connection`select set_config('request.jwt.claims', ${JSON.stringify({ sub: user })}, true)`;
  await connection`set local role authenticated`;
  const [row] = await connection`select public.link_member() ->> 'status' as status`;
  return row?.status;
}

/**
 * Waits until the call waits for a row that `one` has locked, then commits `one` and returns the result of the call.
 */
async function commitMeanwhile(call: Promise<string>): Promise<string> {
  const waiting = () =>
    sql`select from pg_locks where not granted and locktype = 'transactionid'`.then((rows) => rows.length);
  await expect.poll(waiting, { interval: 5 }).toBe(1);
  await one`commit`;
  return call;
}

test("two first calls of link_member at once, of one sign-in, both say linked", async () => {
  const [user] = await unlinkedMember();
  expect(await link(one, user)).toBe("linked");
  expect(await commitMeanwhile(link(other, user))).toBe("linked");
  await other`commit`;
  expect(await sql`select from app.member_accounts where user_id = ${user}`).toHaveLength(1);
});

test("a first call of link_member that looks for the member once the other one has linked them says linked too", async () => {
  const [user] = await unlinkedMember();
  // A call that looks for the member has to wait here. It has already seen that the account is linked to nobody.
  await one`begin`;
  await one`lock table app.members in access exclusive mode`;
  const [asked] = await other`select pg_backend_pid() as pid`;
  const status = link(other, user);
  const waiting = () => sql`select from pg_locks where not granted and pid = ${asked?.pid}`.then((rows) => rows.length);
  await expect.poll(waiting, { interval: 5 }).toBe(1);
  await one`
    insert into app.member_accounts (user_id, company_id, member_id)
    select u.id, m.company_id, m.id from auth.users as u join app.members as m on lower(m.email) = lower(u.email) where u.id = ${user}`;
  await one`commit`;
  expect(await status).toBe("linked");
  await other`commit`;
});

test("two sign-ins that claim one member at once: the first is linked, the second finds no member", async () => {
  const [first, second] = await unlinkedMember();
  expect(await link(one, first)).toBe("linked");
  expect(await commitMeanwhile(link(other, second))).toBe("no_member");
  await other`commit`;
  expect(await sql`select from app.member_accounts where user_id = ${second}`).toHaveLength(0);
});
