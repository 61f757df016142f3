import Bot from "lucide-react/icons/bot";
import ChartColumn from "lucide-react/icons/chart-column";
import DatabaseBackup from "lucide-react/icons/database-backup";
import Gift from "lucide-react/icons/gift";
import KeyRound from "lucide-react/icons/key-round";
import Sheet from "lucide-react/icons/sheet";
import { defaultScopes, readScopes, type Scope } from "../scopes.ts";
import type { Lifetime } from "./expiry.ts";

/** What fills in the form for a new key. `offered`: only these scopes can be ticked. `advice` stands above them. */
export type Preset = {
  name: string;
  scopes: readonly Scope[];
  lifetime: Lifetime;
  offered?: readonly Scope[];
  advice?: string;
};

/** A purpose, as its card shows it. */
type Purpose = Preset & { label: string; about: string; icon: typeof Bot };

/** The form as it is without a purpose. */
export const plain: Preset = { name: "", scopes: defaultScopes, lifetime: "" };

const named = (label: string, about: string, icon: typeof Bot, scopes: readonly Scope[]): Purpose => ({
  name: label,
  label,
  about,
  icon,
  scopes,
  lifetime: "365",
});

/** By the name that a link has: `?create=power-bi`. The scopes are those that the purpose's guide needs. */
export const purposes: Record<string, Purpose> = {
  "power-bi": named("Power BI or Excel", "Tables that refresh", ChartColumn, readScopes),
  "google-sheets": named("Google Sheets", "A script fills the sheets", Sheet, readScopes),
  "nightly-copy": named("Nightly copy", "Every list in a file of yours", DatabaseBackup, readScopes),
  "reward-import": named("Reward import", "Your catalogue into this one", Gift, ["read:rewards", "write:rewards"]),
  assistant: {
    ...named("Assistant (MCP)", "Claude and others sign in", Bot, []),
    lifetime: "90",
    offered: readScopes,
    advice: "Tick what the assistant may read: whoever talks to it can ask for all of it.",
  },
  other: { ...plain, label: "Something else", about: "A script or a system of your own", icon: KeyRound },
};
