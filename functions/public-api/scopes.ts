/** What a key may do (`docs/api.md`, Authentication). `opens` explains to people what the key can read or write. */
export const scopes = [
  {
    name: "read:members",
    opens: "names, email addresses, roles and teams of your people",
  },
  {
    name: "read:activity",
    opens: "kudos: who thanked whom, with names and email addresses, and the message",
  },
  { name: "read:rewards", opens: "the reward catalogue, with prices in points and stock" },
  {
    name: "read:analytics",
    opens: "moods: day ratings and pulse survey answers, without names",
  },
  {
    name: "write:rewards",
    opens: "lets the system add and change rewards in your catalogue",
  },
] as const;

export type Scope = (typeof scopes)[number]["name"];
