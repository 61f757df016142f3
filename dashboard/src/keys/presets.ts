import { type Scope, scopeNames } from "../scopes.ts";

/** What a new key is for, which fills in the form. `days`: its lifetime. Without scopes the admin ticks what it may see. */
export type Preset = { label: string; scopes: readonly Scope[]; days: number };

const reading = scopeNames.filter((scope) => scope.startsWith("read:"));

/** By the name that a link has: `?create=power-bi`. */
export const presets: Record<string, Preset> = {
  "power-bi": { label: "Power BI or Excel", scopes: reading, days: 365 },
  "google-sheets": { label: "Google Sheets", scopes: ["read:members", "read:activity"], days: 365 },
  "nightly-copy": { label: "Nightly copy", scopes: reading, days: 365 },
  "reward-import": { label: "Reward import", scopes: ["read:rewards", "write:rewards"], days: 365 },
  assistant: { label: "Assistant (MCP)", scopes: [], days: 90 },
};
