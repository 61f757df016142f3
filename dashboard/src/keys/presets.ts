import { type Scope, scopeNames } from "../scopes.ts";

/**
 * What a new key is for, which fills in the form: its name, the ticked scopes, and its lifetime in `days`. `offered`: only these
 * scopes can be ticked. `advice` stands above them.
 */
type Preset = { label: string; scopes: readonly Scope[]; days: number; offered?: readonly Scope[]; advice?: string };

const reading = scopeNames.filter((scope) => scope.startsWith("read:"));

/** By the name that a link has: `?create=power-bi`. */
export const presets: Record<string, Preset> = {
  "power-bi": { label: "Power BI or Excel", scopes: reading, days: 365 },
  "google-sheets": { label: "Google Sheets", scopes: ["read:members", "read:activity"], days: 365 },
  "nightly-copy": { label: "Nightly copy", scopes: reading, days: 365 },
  "reward-import": { label: "Reward import", scopes: ["read:rewards", "write:rewards"], days: 365 },
  assistant: {
    label: "Assistant (MCP)",
    scopes: [],
    days: 90,
    offered: reading,
    advice: "Tick what the assistant may read: whoever talks to it can ask for all of it.",
  },
};
