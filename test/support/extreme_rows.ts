// The most extreme rows that the database accepts.
import { randomUUID } from "node:crypto";
import { newCompany } from "./companies.ts";
import { allServed, sql } from "./stack.ts";

const nothing = "00000000-0000-0000-0000-000000000000";
const everything = "ffffffff-ffff-ffff-ffff-ffffffffffff";
export const longest = (characters: number) => "👩".repeat(characters);
const odd = '\u0001 ="\r\n,\\ \u202e\ufeff';

/** Makes a company of which each column has the extremes of its constraints, and null wherever that is allowed. */
export async function makeExtremes() {
  const company = await newCompany(longest(91));
  const { id } = company;
  const times = ["0001-01-01 00:00:00Z", "9999-12-31 23:59:59.999999Z", "2000-02-29 23:59:59.999999Z"];
  await sql`insert into app.teams (company_id, id, name, created_at) values
    (${id}, ${nothing}, ${odd}, ${times[0] as string}), (${id}, ${everything}, ${longest(255)}, ${times[1] as string})`;
  const members: [id: string, email: string, text: string, team: string | null][] = [
    [nothing, "jörg@büro.example", longest(50), nothing],
    [everything, "a@b", odd, everything],
    [randomUUID(), `..,"<'>\u200b@-`, longest(50), null],
    [randomUUID(), `${"漢".repeat(318)}@x`, odd, null],
  ];
  for (const [index, [member, email, text, team]] of members.entries())
    await sql`insert into app.members (company_id, id, name, email, role, team_id, created_at)
      values (${id}, ${member}, ${text}, ${email}, ${text}, ${team}, ${times[index % 3] as string})`;
  await sql`insert into app.categories (company_id, id, created_at) select ${id}, i::uuid, t::timestamptz
    from unnest(${[nothing, everything]}::text[], ${times.slice(0, 2)}::text[]) as x (i, t)`;
  await sql`insert into app.category_names (company_id, category_id, language, name)
    values (${id}, ${everything}, 'zzz-ABCDEFGH-1234', ${longest(255)})`;
  await sql`insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select ${id}, ${nothing}, m.id, ${everything}, x.message, x.at::timestamptz
    from app.members as m, unnest(${["", odd, longest(10_000)]}::text[], ${times}::text[]) as x (message, at) where m.company_id = ${id}`;
  await sql`insert into app.rewards (company_id, external_id, name, description, points_cost, reward_type, stock_count, image_url, vendor_name, is_archived, created_at)
    values (${id}, null, ${odd}, null, 0, ${odd}, null, null, null, false, ${times[0] as string}),
      (${id}, ${longest(255)}, ${longest(255)}, ${longest(2000)}, 9007199254740991, ${longest(50)}, 2147483647, ${odd}, ${odd}, true, ${times[1] as string}),
      (${id}, '0815', 'x', '', 1, 'perk', 0, '', '', false, ${times[2] as string})`;
  await sql`insert into app.day_ratings (company_id, rating, comment, team_id, points_awarded, created_at)
    values (${id}, 1, null, null, null, ${times[0] as string}), (${id}, 5, ${longest(10_000)}, ${everything}, 2147483647, ${times[1] as string}),
      (${id}, 3, '', ${nothing}, 0, ${times[2] as string})`;
  await sql`insert into app.pulse_questions (company_id, id, question, response_type)
    values (${id}, ${nothing}, ${odd}, null), (${id}, ${everything}, ${longest(2000)}, ${longest(50)})`;
  // Values of each kind are in test/api/lists.test.ts.
  for (const [index, value] of [null, "null", '"a"'].entries())
    await sql`insert into app.pulse_responses (company_id, question_id, value, comment, created_at) values (
      ${id}, ${[null, nothing, everything][index % 3] ?? null}, ${value}::text::jsonb, ${index % 2 ? odd : ""}, ${times[index % 3] as string})`;
  // Erased people have no address.
  await sql`select app.erase_member(${id}, ${everything}, blank_messages => true)`;
  await allServed();
  return company;
}
