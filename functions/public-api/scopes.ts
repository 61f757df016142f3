/** What a key may be allowed to do (`docs/api.md`, Authentication). `opens` describes it to the admin who creates the key. */
export const scopes = [
  {
    name: "read:members",
    description: "GET /members (names, emails, roles, teams)",
    opens: "names, email addresses, roles and teams of your people",
  },
  {
    name: "read:activity",
    description: "GET /activity (kudos with sender, recipient, category)",
    opens: "kudos: who thanked whom, with names and email addresses, and the message",
  },
  { name: "read:rewards", description: "GET /rewards", opens: "the reward catalogue, with prices in points and stock" },
  {
    name: "read:analytics",
    description: "GET /day-ratings and GET /pulse-responses, without identities",
    opens: "moods: day ratings and pulse survey answers, without names",
  },
  {
    name: "write:rewards",
    description: "POST /rewards",
    opens: "lets the system add and change rewards in your catalogue",
  },
] as const;

export type Scope = (typeof scopes)[number]["name"];
