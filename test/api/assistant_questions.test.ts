// Ten questions that people ask an assistant (test/vectors/assistant_questions.json): the calls that answer them, and how
// many characters a model is shown for them at companies of 300, 3,000 and 30,000 people.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { newCompany } from "../support/companies.ts";
import { tried } from "../support/counts.ts";
import { sql, stack } from "../support/stack.ts";
import questions from "../vectors/assistant_questions.json" with { type: "json" };

type Answer = { isError?: boolean; content: { text: string }[]; structuredContent?: object };

/** A company with this many people, 25 in a team, two kudos for each, a day rating for each, and answers to a survey. */
async function crowded(people: number) {
  const company = await newCompany("Crowded");
  const { id, domain } = company;
  const place = (n: string) => `lpad(to_hex(${n}), 12, '0')`;
  const uuid = (kind: number, n: string) => `('0000000${kind}-0000-4000-8000-' || ${place(n)})::uuid`;
  const at = (n: string) =>
    `'2026-11-20T12:00Z'::timestamptz - ${n} * interval '1 second' * ${Math.floor(25_000_000 / people)}`;
  await sql.unsafe(`
    insert into app.teams (company_id, id, name, created_at)
    select '${id}', ${uuid(1, "n")}, 'Team ' || n, ${at("n")} from generate_series(1, ${people / 25}) as n;
    insert into app.members (company_id, id, name, email, role, team_id, created_at)
    select '${id}', ${uuid(2, "n")}, 'Person ' || lpad(n::text, 5, '0') || ' of Team ' || 1 + n % ${people / 25}, 'person.' || n || '@${domain}', 'employee',
      ${uuid(1, `1 + n % ${people / 25}`)}, ${at("n")}
    from generate_series(1, ${people}) as n;
    insert into app.categories (company_id, id, created_at) values ('${id}', ${uuid(3, "1")}, '2026-01-01Z');
    insert into app.category_names (company_id, category_id, language, name) values ('${id}', ${uuid(3, "1")}, 'en', 'Helping hand');
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select '${id}', ${uuid(2, `1 + n % ${people}`)}, ${uuid(2, `1 + (n * 7 + n / ${people}) % ${people}`)}, ${uuid(3, "1")},
      'Thank you for your help with the release, number ' || n, ${at("n / 2.0")}
    from generate_series(1, ${2 * people}) as n;
    insert into app.rewards (company_id, name, points_cost, created_at)
    select '${id}', 'Reward ' || n, n, ${at("n")} from generate_series(1, ${people / 10}) as n;
    insert into app.day_ratings (company_id, rating, team_id, created_at)
    select '${id}', 1 + n % 5, ${uuid(1, `1 + n % ${people / 25}`)}, ${at("n")} from generate_series(1, ${people}) as n;
    insert into app.pulse_responses (company_id, value, comment, created_at)
    select '${id}', to_jsonb(n % 5), 'We could meet less often, or for less time.', ${at("n")} from generate_series(1, ${people / 2}) as n;
    analyze app.members, app.kudos;
  `);
  return company;
}

const sizes = [300, 3000, 30_000];

// Proves: assistants.4
test.each(sizes)(
  "ten questions at a company of %i people take the calls and characters of the file",
  async (people) => {
    const company = await crowded(people);
    const client = new Client({ name: "test", version: "1.0.0" });
    const requestInit = { headers: { "X-API-Key": (await company.makeKey()).api_key } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${stack.api_url}/mcp`), { requestInit }));
    const measured: number[] = [];
    for (const { question, calls } of questions) {
      let [characters, before] = [0, ""];
      for (const { name, arguments: given } of calls) {
        const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(before)?.[0];
        const args = Object.fromEntries(
          Object.entries(given).map(([name, value]) => [name, String(value).startsWith("<") ? (id ?? "no id") : value]),
        );
        const answer = (await client.callTool({ name, arguments: args })) as Answer;
        before = answer.content[0]?.text.slice(answer.content[0].text.indexOf("\n")) ?? "";
        expect([question, answer.isError && answer.content[0]?.text]).toEqual([question, undefined]);
        expect(JSON.stringify(answer.structuredContent ?? "").length).toBeLessThanOrEqual(60_000);
        expect(answer.content[0]?.text.length).toBeLessThanOrEqual(60_000);
        characters += answer.content[0]?.text.length ?? 0;
      }
      measured.push(characters);
    }
    await client.close();
    await company.remove();
    tried(`ten questions of an assistant at ${people} people: ${measured.join(", ")} characters`);
    const expected = questions.map(({ characters }) => characters[sizes.indexOf(people)] ?? 0);
    for (const [index, { question }] of questions.entries())
      expect
        .soft([question, Math.abs((measured[index] ?? 0) / (expected[index] || 1) - 1) < 0.02])
        .toEqual([question, true]);
  },
);
