// The functions of the lists in SQL, made from endpoints.ts and from what only SQL knows of a list: its table, the
// tables that its view reads, its statements. sql/schema/0810_views_of_lists.sql has the views.
//
// There is one static statement per leading filter, because each filter has an index that continues with the order of
// the page. A second filter is checked for each row. The generic plan is forced, because planning again for every call
// would halve the speed of small pages. Sequential scans and sorts are off, so that the plan must use the index in the
// page's order. Reading a whole table, or sorting all matches of a filter, may look cheap when a session makes its
// plan, but is slow when the table has grown.
//
// One statement with a branch of `union all` for each filter would be shorter. Tried for activity, it returned the same
// pages (144 of 144, byte for byte), but took 1.27 times the time for 20 rows, so each filter has its own statement.
//
// A sort that cannot be avoided then has an estimated cost of 1e10. This is above jit_above_cost, and compiling a page of
// 2 milliseconds took 200 to 700. Therefore jit = off, here and in all functions that a page calls. The cost affects no
// other decision: only such a sort has it, parallel plans are impossible because of the policies (app.current_company_id
// is not parallel safe), and force_generic_plan compares no costs.
//
// A page begins with the newest row, or after the row with the id starting_after, whose instant is after_time, or is
// looked up. That is one row comparison, (instant, id) < (…), which can be an index condition. It must be the only upper
// bound. With a second one, instant <= until, the scan would begin at the row comparison and read all rows down to until.
// So until becomes a pair too: the microsecond after it, and the lowest id. The smaller pair is the bound of the page.
//
// The row of a page is item, a record of the documented columns; json_agg writes its fields in their order. What a record
// does not use of a view is not computed. Each statement reads one row more than it returns. If that row exists,
// X-Has-More is true.

/**
 * A statement of a list: when it is used (the last one otherwise), what it reads as v, the condition that leads, which has
 * an index in the order of the pages, and further conditions: filters by equality, if they are set, and others.
 */
export type Branch = { when?: string; from?: string; lead?: string; filters?: string[]; where?: string };

export type Facts = {
  /** The table of the rows, and which of its rows (t) are in the list, unless all. */
  table: string;
  rows?: string;
  /** The tables besides that row-level security has to bind. */
  reads: string[];
  /** The arguments of the function behind key_hash and max_rows. New ones come last, so that older calls keep working. */
  args: string[];
  /** The filter that leads: when it has to be found out, and the function that says which. */
  leadBy?: { when: string; is: string };
  /** When it may read the whole list, and so takes a turn of the totals. */
  isTotal?: string;
  branches: Branch[];
  /** Columns of include that are not taken from the view, but from this join, which looks up each team once. */
  joined?: Record<string, string>;
  join?: string;
  /** Columns of include that have statements of their own, with and without the others, so that each costs its own. */
  apart?: string[];
};

const window = ["since", "until"];
/** The team whose id is in a column, under the name of the column without _id. */
const teamJoin = (name: string) => `left join lateral (
  select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.${name}_id offset 0
) as ${name} on true`;

const named = "strpos(v.plain_name, (select app.plain(list_members.name))) > 0";

export const facts: Record<string, Facts> = {
  "/members": {
    table: "members",
    rows: "not t.is_former",
    reads: ["teams"],
    args: ["team_id", "role", "starting_after", "email", "name"],
    isTotal: "list_members.name is not null",
    leadBy: {
      when: "list_members.email is null and list_members.name is null and num_nonnulls(team_id, role) > 0",
      is: "app.rarest_members_filter(api_key.company_id, team_id, role)",
    },
    branches: [
      {
        when: "email is not null",
        from: `select o.* from api.members as o
where o.company_id = api_key.company_id
  and o.id = (select app.member_with_email(api_key.company_id, list_members.email))
offset 0`,
        filters: ["team_id", "role"],
        where: `(list_members.name is null or ${named})`,
      },
      // No index serves it: it reads the list until the page is full, whatever other filters there are.
      { when: "list_members.name is not null", filters: ["team_id", "role"], where: named },
      { when: "lead_by is null" },
      { when: "lead_by = 'team'", lead: "v.team_id = list_members.team_id", filters: ["role"] },
      { lead: "v.role = list_members.role", filters: ["team_id"] },
    ],
  },
  "/teams": { table: "teams", reads: [], args: ["starting_after"], branches: [{}] },
  "/activity": {
    table: "kudos",
    reads: ["members", "teams", "categories"],
    args: [...window, "category_id", "sender_id", "receiver_id", "starting_after", "include"],
    leadBy: {
      when: "num_nonnulls(sender_id, receiver_id, category_id) > 0",
      is: `app.rarest_kudos_filter(
  api_key.company_id, since, least(until, below_instant), sender_id, receiver_id, category_id
)`,
    },
    branches: [
      { when: "lead_by is null" },
      {
        when: "lead_by = 'sender'",
        lead: "v.sender_id = list_activity.sender_id",
        filters: ["receiver_id", "category_id"],
      },
      {
        when: "lead_by = 'receiver'",
        lead: "v.receiver_id = list_activity.receiver_id",
        filters: ["sender_id", "category_id"],
      },
      { lead: "v.category_id = list_activity.category_id", filters: ["sender_id", "receiver_id"] },
    ],
    apart: ["sender_team_id", "sender_team_name", "receiver_team_id", "receiver_team_name"],
    joined: { sender_team_name: "sender_team.name", receiver_team_name: "receiver_team.name" },
    join: `${teamJoin("sender_team")}\n${teamJoin("receiver_team")}`,
  },
  "/categories": { table: "categories", reads: [], args: ["starting_after"], branches: [{}] },
  "/rewards": {
    table: "rewards",
    reads: [],
    args: ["include_archived", "starting_after", "include", "external_id"],
    branches: [
      {
        when: "external_id is not null",
        // In the order of external ids, so that no plan can use another index.
        from: `select o.* from api.rewards as o
where o.company_id = api_key.company_id
  and o.external_id between list_rewards.external_id and list_rewards.external_id
order by o.external_id limit 1`,
        where: "(include_archived or not v.is_archived)",
      },
      { when: "include_archived is not true", lead: "not v.is_archived" },
      {},
    ],
  },
  "/day-ratings": {
    table: "day_ratings",
    reads: ["teams"],
    args: [...window, "team_id", "starting_after", "include"],
    branches: [{ when: "team_id is null" }, { lead: "v.team_id = list_day_ratings.team_id" }],
    joined: { team_name: "team.name" },
    join: teamJoin("team"),
  },
  "/pulse-responses": {
    table: "pulse_responses",
    reads: ["pulse_questions"],
    args: [...window, "starting_after", "include"],
    branches: [{}],
  },
};
