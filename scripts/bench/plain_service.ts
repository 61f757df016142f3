// The five lists as somebody would write them who needs neither keys nor isolation: Fastify and node-postgres, one query an endpoint.
// Started by startScript with the database's address and a company's id; sends its port.
import type { AddressInfo } from "node:net";
import fastify from "fastify";
import pg from "pg";

const queries = {
  "/members": `
    select m.id, m.name, m.email, m.role, m.team_id, coalesce(t.name, 'No Team') as team_name, m.created_at
    from app.members m left join app.teams t on t.company_id = m.company_id and t.id = m.team_id
    where m.company_id = $1 order by m.created_at desc, m.id desc limit $2`,
  "/activity": `
    select k.id, k.created_at as timestamp, s.name as sender_name, s.email as sender_email, r.name as receiver_name,
      r.email as receiver_email, k.message, n.name as category
    from app.kudos k
    join app.companies c on c.id = k.company_id
    left join app.members s on s.company_id = k.company_id and s.id = k.sender_id
    left join app.members r on r.company_id = k.company_id and r.id = k.receiver_id
    left join app.category_names n
      on n.company_id = k.company_id and n.category_id = k.category_id and n.language = c.default_language
    where k.company_id = $1 order by k.created_at desc, k.id desc limit $2`,
  "/rewards": `
    select id, name, description, points_cost, reward_type, stock_count, image_url, vendor_name, is_archived, created_at
    from app.rewards where company_id = $1 and not is_archived order by created_at desc, id desc limit $2`,
  "/day-ratings": `
    select id, rating, comment, team_id, points_awarded, created_at
    from app.day_ratings where company_id = $1 order by created_at desc, id desc limit $2`,
  "/pulse-responses": `
    select p.id, p.created_at as timestamp, q.question, q.response_type, p.value, p.comment
    from app.pulse_responses p
    left join app.pulse_questions q on q.company_id = p.company_id and q.id = p.question_id
    where p.company_id = $1 order by p.created_at desc, p.id desc limit $2`,
};

const [connectionString = "", companyId] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 4 });
const app = fastify();
for (const [path, text] of Object.entries(queries)) {
  app.get<{ Querystring: { limit: string } }>(path, async ({ query }) => {
    // With a name it is prepared once a connection.
    const { rows } = await pool.query({ name: path, text, values: [companyId, query.limit] });
    return rows;
  });
}
await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.((app.server.address() as AddressInfo).port);
process.on("disconnect", () => process.exit());
