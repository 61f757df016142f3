/** What a key may do (`docs/api.md`, Authentication). `label` and `opens` tell people what the key can read or write. */
export const scopes = [
  {
    name: "read:members",
    label: "People",
    opens: "names, email addresses, roles and teams of your people",
  },
  {
    name: "read:activity",
    label: "Kudos",
    opens: "kudos: who thanked whom, with names and email addresses, and the message",
  },
  {
    name: "read:rewards",
    label: "Rewards",
    opens: "the reward catalogue, with prices in points and stock",
  },
  {
    name: "read:analytics",
    label: "Moods",
    opens: "moods: day ratings and pulse survey answers, without names",
  },
  {
    name: "write:rewards",
    label: "Import rewards",
    opens: "lets the system add and change rewards in your catalogue",
  },
] as const;

export type Scope = (typeof scopes)[number]["name"];
