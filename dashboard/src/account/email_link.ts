// A link from an email comes back from Supabase Auth with its outcome in the fragment: tokens and a type, or an error. Only an
// invitation and "Forgot password?" sign somebody in here; the tokens of any other link, which anybody may have sent, are thrown away.
import { createClient } from "@supabase/supabase-js";
import { paths } from "../paths.ts";
import { authProblem, Problem } from "../problems.ts";
import type { Errand } from "../router.ts";
import { publishableKey, supabaseUrl } from "../settings.ts";

/** The tokens of an invitation or of "Forgot password?". */
export type EmailLink = { access_token: string; refresh_token: string };

function readFragment(): { error: boolean; type: string | null; link: EmailLink | null } {
  const outcome = new URLSearchParams(window.location.hash.slice(1));
  const access_token = outcome.get("access_token");
  const link = access_token === null ? null : { access_token, refresh_token: outcome.get("refresh_token") ?? "" };
  return { error: outcome.has("error"), type: outcome.get("type"), link };
}

const signsIn = (type: string | null): boolean => type === "invite" || type === "recovery";

/** Leads a link to the page that it is for; to be called before anything else looks at the address. */
export function followEmailLink(): void {
  const { error, type, link } = readFragment();
  const [failed, refused]: Errand[] = [{ linkFailed: true }, { linkRefused: true }];
  if (error) window.history.replaceState(failed, "", paths.setPassword);
  else if (link && signsIn(type)) window.history.replaceState({}, "", paths.setPassword + window.location.hash);
  else if (link) window.history.replaceState(refused, "", paths.signIn);
}

/** The link that the address holds, until the page goes on: a reload finds it again. */
export const currentLink = (): EmailLink | null => readFragment().link;

/** Asks about a link in place of the session's client, which would end the session over a dead one. */
const stranger = createClient(supabaseUrl, publishableKey, {
  auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false, storageKey: "link" },
});

/**
 * Whom a link signs in, as Auth says.
 * @throws a Problem: unreachable, or refused when the link is dead
 */
export async function whoseLink({ access_token }: EmailLink): Promise<string> {
  const { data, error } = await stranger.auth.getUser(access_token);
  if (!error && data.user.email) return data.user.email;
  const problem = authProblem(error);
  throw problem.kind === "unreachable" ? problem : new Problem("refused", "This link has expired or was used before.");
}
