// Supabase Auth redirects the links of its emails to the dashboard, with the outcome in the fragment: tokens and a
// type, or an error. Only an invitation and "Forgot password?" sign somebody in here. The tokens of any other link are
// discarded, because anybody could have made that link.
import { createClient } from "@supabase/supabase-js";
import { paths } from "../paths.ts";
import { authProblem, Problem } from "../problems.ts";
import type { NavigationState } from "../router.ts";
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

/** Changes the address to the page that the link is for. Must be called before anything else reads the address. */
export function followEmailLink(): void {
  const { error, type, link } = readFragment();
  const [failed, refused]: NavigationState[] = [{ linkFailed: true }, { linkRefused: true }];
  if (error) window.history.replaceState(failed, "", paths.setPassword);
  else if (link && signsIn(type)) window.history.replaceState({}, "", paths.setPassword + window.location.hash);
  else if (link) window.history.replaceState(refused, "", paths.signIn);
}

/** The link in the address. It stays there until the page navigates, so that a reload finds it again. */
export const currentLink = (): EmailLink | null => readFragment().link;

/** A client only for requests about a link: the main client would end the current session if the link has expired. */
const separateClient = createClient(supabaseUrl, publishableKey, {
  auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false, storageKey: "link" },
});

/**
 * Asks Auth whom a link signs in. Returns the email address.
 * @throws Problem `unreachable`, or `refused` when the link has expired or was used
 */
export async function whoseLink({ access_token }: EmailLink): Promise<string> {
  const { data, error } = await separateClient.auth.getUser(access_token);
  if (!error && data.user.email) return data.user.email;
  const problem = authProblem(error);
  throw problem.kind === "unreachable" ? problem : new Problem("refused", "This link has expired or was used before.");
}
