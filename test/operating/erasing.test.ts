// People who leave (docs/operate/erase-and-retain.md): what app.erase_member removes, and what it keeps.
import { randomUUID } from "node:crypto";
import { afterAll, beforeEach, expect, test } from "vitest";
import { endpoints } from "../../functions/public-api/table/endpoints.ts";
import { withDatabase } from "../../scripts/stack/database.ts";
import { good, ids, load, untouched } from "../support/loading.ts";
import { createCompany, type ProjectCompany, readList, returned } from "../support/project_companies.ts";
import { hashOf } from "../support/stack.ts";
import { everything, newProject, type Project, removeProjects } from "../support/two_projects.ts";

const { members: [person = {}, receiver = {}] = [], kudos: [sent = {}] = [] } = good();
let project: Project;
let company: ProjectCompany;
let other: ProjectCompany;
/** The account and a key of the person. */
let account: string;
let key: string;

beforeEach(async () => {
  project = await newProject();
  company = await createCompany(project.sql, "Company");
  other = await createCompany(project.sql, "Other company");
  for (const { id } of [company, other]) await load(project.url, id, good());
  account = randomUUID();
  const { sql } = project;
  await sql`insert into auth.users (id, email, email_confirmed_at) values (${account}, ${person.email ?? ""}, now())`;
  // Two companies list this address, so an operator links it by hand.
  await sql`insert into app.member_accounts (user_id, company_id, member_id) values (${account}, ${company.id}, ${ids.ines})`;
  key = await as(account, "create_api_key('report', '{read:members,read:activity}') ->> 'api_key'");
  await as(account, "revoke_api_key((public.create_api_key('old') ->> 'id')::uuid)");
});
afterAll(removeProjects);

/** What a function returns to a person who has signed in. */
const as = <Value>(user: string, call: string) => returned<Value>(project.sql, user, `public.${call}`);

/** Calls app.erase_member as postgres, as an operator does. */
const erase = (blank: boolean | null, id = ids.ines, of = company.id) =>
  withDatabase(project.url, async (postgres) => {
    const [row] = await postgres`select * from app.erase_member(${of}, ${id}, ${blank})`;
    return row;
  });

/** Everything that the API returns to the company's key, and that the dashboard loads for its admin, as text. */
async function answers(): Promise<string[]> {
  const loaded = "json_build_array(public.link_member(), public.list_api_keys(), public.list_api_key_events())";
  const texts = [JSON.stringify(await returned(project.sql, company.admin, loaded))];
  for (const endpoint of endpoints) {
    if (endpoint.kind !== "list") continue;
    const args = [`'${hashOf(company.key)}'`, "1000"];
    if (endpoint.included.length > 0) args.push(`include => '{${endpoint.included.map(({ name }) => name)}}'`);
    const [row] = await project.sql.unsafe(`select public.${endpoint.operation}(${args})::text as page`);
    texts.push(row?.page);
  }
  return texts;
}

const words = [person.id, person.name, person.email].map((word = "none") => word.toLowerCase());
const naming = (texts: string[]) => texts.filter((text) => words.some((word) => text.toLowerCase().includes(word)));

// Proves: leaving.1, layer.16
test("no table, no answer of the API and nothing on the page names an erased person, and the other company's row stays", async () => {
  const { sql } = project;
  const theirs = await sql`select * from app.members where company_id = ${other.id} and id = ${ids.ines}`;
  // The members, the kudos, and what the dashboard loads.
  expect(naming(await answers())).toHaveLength(3);
  expect(await erase(true)).toEqual({ kudos: "1", keys: "2", events: "3", accounts: "1" });
  expect(naming(await answers())).toEqual([]);
  expect(await sql`select * from app.members where company_id = ${other.id} and id = ${ids.ines}`).toEqual(theirs);

  await sql`delete from app.kudos where company_id = ${other.id}`;
  await sql`delete from app.members where company_id = ${other.id} and id = ${ids.ines}`;
  // For 90 days copies get the ids of deleted rows.
  const deletion = new RegExp(`^app.deletions: \\S+ \\d+ \\([0-9a-f-]{36},app.members,\\d+,${ids.ines},"[^"]+"\\)$`);
  expect(naming(await everything(sql)).filter((row) => !deletion.test(row))).toEqual([]);
});

/** What the planner's statistics show of the person: the columns. */
const inStatistics = async () => {
  const rows = await project.sql`
    select format('%s.%s.%s', schemaname, tablename, attname) as place, concat(most_common_vals, histogram_bounds) as text
    from pg_stats where schemaname in ('app', 'auth', 'staging') order by 1`;
  const places = rows.filter(({ text }) => naming([text]).length > 0).map(({ place }) => place);
  return places.filter((place) => !place.startsWith("app.deletions."));
};

// Proves: leaving.1
test("the statistics of the planner show nobody who was erased, or whose company was deleted", async () => {
  const { sql } = project;
  expect((await inStatistics()).filter((place) => place.startsWith("staging."))).toEqual([]);
  // As an attempt leaves it that was committed without being loaded.
  await sql`
    insert into staging.members (id, name, email)
    select ${ids.ines}, ${person.name ?? ""}, ${person.email ?? ""} from generate_series(1, 2)`;
  await sql`analyze`;
  const columns =
    "api_key_events.member_name api_keys.created_by kudos.sender_id member_accounts.member_id members.email";
  const places = `${columns} members_email.lower`.split(" ").map((column) => `app.${column}`);
  const all = [...places, "auth.users.email", "staging.members.email"];
  expect(await inStatistics()).toEqual(expect.arrayContaining(all));
  await withDatabase(project.url, (postgres) => postgres`select app.delete_company(${other.id})`);
  expect(await inStatistics()).toContain("app.members.email");
  await erase(true);
  expect(await inStatistics()).toEqual([]);
});

// Proves: leaving.2
test.each([true, false])("kudos of an erased person stay for the other person, messages blanked: %s", async (blank) => {
  await erase(blank);
  const message = blank ? "" : sent.message;
  const former = { sender_name: "Former member", sender_email: "" };
  expect(await readList(project.sql, company.key)).toMatchObject([
    { id: ids.kudos, ...former, receiver_name: receiver.name, message },
    { id: ids.plusOne, sender_name: receiver.name, message: "+1" },
  ]);
  const members = (await readList(project.sql, company.key, "list_members")) as { name: string }[];
  expect(members.map(({ name }) => name)).toEqual(["First Admin", receiver.name]);
});

// Proves: leaving.3
test("keys that an erased person made keep working, name Former member, and can be revoked; the person cannot sign in", async () => {
  await erase(false);
  expect(await readList(project.sql, key)).toHaveLength(2);
  const keys = await as<{ id: string }[]>(company.admin, "list_api_keys()");
  expect(keys).toMatchObject([
    { name: "old", status: "revoked", created_by: "Former member", revoked_by: "Former member" },
    { name: "report", status: "active", created_by: "Former member", revoked_by: null },
    { name: "in use", created_by: "First Admin" },
  ]);
  expect(await as(company.admin, "list_api_key_events()")).toMatchObject([
    { action: "revoked", member: "Former member", key_name: "old" },
    { action: "created", member: "Former member", key_name: "old" },
    { action: "created", member: "Former member", key_name: "report" },
    { action: "created", member: "First Admin", key_name: "in use" },
  ]);
  await as(company.admin, `revoke_api_key('${keys[1]?.id}')`);
  await expect(readList(project.sql, key)).rejects.toThrow("Unauthorized");
  expect(await project.sql`select from auth.users where id = ${account}`).toHaveLength(0);
  await expect(as(account, "create_api_key('again')")).rejects.toThrow();
});

// Proves: leaving.4, layer.16
test("loading the same files again restores neither the person nor the messages, and counts what it left out", async () => {
  await erase(true);
  const corrected = { ...sent, message: "Corrected" };
  const again = { ...good(), kudos: [corrected, ...(good().kudos?.slice(1) ?? [])] };
  const oneLeftOut = { members: ["0", "0", "1", "1"], kudos: ["0", "0", "1", "1"] };
  expect(await load(project.url, company.id, again)).toEqual({ ...untouched, ...oneLeftOut });
  // Kudos from and to them are left out, also where the file of the members does not have them.
  const received = { ...sent, id: randomUUID(), sender_id: ids.olaf, receiver_id: ids.ines };
  const kudos = [corrected, { ...sent, id: randomUUID() }, received];
  const newcomer = { ...receiver, id: randomUUID(), email: person.email ?? "" };
  const allLeftOut = { members: ["1", "0", "0"], kudos: ["0", "0", "0", "3"] };
  expect(await load(project.url, company.id, { members: [newcomer], kudos })).toMatchObject(allLeftOut);
  expect(await readList(project.sql, company.key)).toMatchObject([{ id: ids.kudos, message: "" }, { id: ids.plusOne }]);
});

// Proves: leaving.5
test("erasing can be repeated, is recorded without a name, and refuses what it cannot do", async () => {
  await expect(erase(null)).rejects.toThrow("blank_messages must be true or false");
  await expect(erase(false, randomUUID())).rejects.toThrow("member_id must be the id of a member of the company");
  await expect(erase(false, ids.ines, randomUUID())).rejects.toThrow("company_id must be the id of a company");
  await erase(false);
  expect(await erase(false)).toEqual({ kudos: "0", keys: "0", events: "0", accounts: "0" });
  await expect(erase(true)).rejects.toThrow("this person was erased with their messages kept");
  expect(await erase(true, ids.olaf)).toEqual({ kudos: "2", keys: "0", events: "0", accounts: "0" });
  const former = await project.sql`select id from app.members where company_id = ${company.id} and is_former`;
  expect(former).toHaveLength(1);
  await expect(erase(false, former[0]?.id)).rejects.toThrow("member_id must be the id of a member of the company");
  const recorded = await project.sql`select messages_blanked from app.erasures order by 1`;
  expect(recorded.map(({ messages_blanked }) => messages_blanked)).toEqual([false, true]);
});

// Proves: leaving.5
test("an erasure that fails in the middle leaves everything as it was", async () => {
  const before = await everything(project.sql);
  await project.sql`create rule stays as on delete to app.members do instead select 1 / 0`;
  await expect(erase(true)).rejects.toThrow("division by zero");
  expect(await everything(project.sql)).toEqual(before);
});
