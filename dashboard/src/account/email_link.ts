// The links of Auth's emails lead to the dashboard. Those of this project's templates (supabase/templates) bring a token hash in
// the fragment, which nothing uses up before a person clicks: programs open every link of an email to look for viruses. A
// link of Auth's default templates is used up when it is opened, and then leads here with tokens and a type, or an error. Only
// an invitation and "Forgot password?" sign somebody in here. Any other link is discarded, because anybody could have made
// it.
import { paths } from "../paths.ts";
import { authProblem, Problem } from "../problems.ts";
import type { NavigationState } from "../router.ts";
import { authOfLinks } from "../supabase.ts";

/** What the links of an invitation and of "Forgot password?" bring, before they are used and after. */
export type UnusedLink = { token_hash: string; type: "invite" | "recovery" };
export type UsedLink = { access_token: string; refresh_token: string };
export type EmailLink = UnusedLink | UsedLink;

/** What stands in the address behind the #. */
const fragment = (): URLSearchParams => new URLSearchParams(window.location.hash.slice(1));

/** The link in the address. It stays there until the page navigates, so that a reload finds it again. */
export function currentLink(): EmailLink | null {
  const { type, token_hash, access_token, refresh_token = "" } = Object.fromEntries(fragment());
  if (type !== "invite" && type !== "recovery") return null;
  if (token_hash) return { token_hash, type };
  return access_token ? { access_token, refresh_token } : null;
}

/** Changes the address to the page that the link is for. Must be called before anything else reads the address. */
export function followEmailLink(): void {
  const given = fragment();
  const [failed, refused]: NavigationState[] = [{ linkFailed: true }, { linkRefused: true }];
  if (given.has("error")) window.history.replaceState(failed, "", paths.setPassword);
  else if (currentLink()) window.history.replaceState({}, "", paths.setPassword + window.location.hash);
  else if (given.has("access_token") || given.has("token_hash")) window.history.replaceState(refused, "", paths.signIn);
}

/** Why Auth takes no link: it says of a link that has expired, or was used, in several ways. */
function refusal(error: unknown): Problem {
  const problem = authProblem(error);
  return problem.kind === "unreachable" ? problem : new Problem("refused", "This link has expired or was used before.");
}

/**
 * Uses up a link, which signs nobody in yet. The address has the used link from now on.
 * @throws Problem `unreachable`, or `refused` when the link has expired or was used
 */
export async function spendLink({ token_hash, type }: UnusedLink): Promise<UsedLink> {
  const { data, error } = await authOfLinks.verifyOtp({ token_hash, type });
  if (!data.session) throw refusal(error);
  const { access_token, refresh_token } = data.session;
  const used = new URLSearchParams({ access_token, refresh_token, type });
  window.history.replaceState({}, "", `${paths.setPassword}#${used}`);
  return { access_token, refresh_token };
}

/**
 * Asks Auth whom a link signs in. Returns the email address.
 * @throws Problem `unreachable`, or `refused` when the link has expired
 */
export async function whoseLink({ access_token }: UsedLink): Promise<string> {
  const { data, error } = await authOfLinks.getUser(access_token);
  if (!error && data.user.email) return data.user.email;
  throw refusal(error);
}
