/** What a key may do (`docs/api.md`, Authentication). `label` and `opens` tell people what the key can read or write. */
export const scopes = [
  { name: "read:members", label: "People", opens: "names, email addresses, roles, and teams" },
  { name: "read:activity", label: "Kudos", opens: "who thanked whom, with names, email addresses, and messages" },
  { name: "read:rewards", label: "Rewards", opens: "the reward catalogue, with prices in points, and stock" },
  {
    name: "read:analytics",
    label: "Moods",
    opens:
      "day ratings and pulse survey answers, without names, and without small teams if the company has set a number",
  },
  { name: "write:rewards", label: "Import rewards", opens: "adds and changes rewards in the catalogue" },
] as const;

export type Scope = (typeof scopes)[number]["name"];
