// The requests of the account pages to Supabase Auth. Each function throws a Problem when it fails.
import { paths } from "../paths.ts";
import { authProblem } from "../problems.ts";
import { auth } from "../supabase.ts";
import type { UsedLink } from "./email_link.ts";

export async function signIn(email: string, password: string): Promise<void> {
  const { error } = await auth.signInWithPassword({ email, password });
  if (error) throw authProblem(error);
}

/** Sends an email with a link to the page that sets a password. Auth does not tell whether the account exists. */
export async function sendPasswordLink(email: string): Promise<void> {
  const redirectTo = window.location.origin + paths.setPassword;
  const { error } = await auth.resetPasswordForEmail(email, { redirectTo });
  if (error) throw authProblem(error);
}

/** Signs in the person to whom the link was sent by email. Replaces the current session, if there is one. */
export async function signInByLink(link: UsedLink): Promise<void> {
  const { error } = await auth.setSession(link);
  if (error) throw authProblem(error);
}

export async function setPassword(password: string): Promise<void> {
  const { error } = await auth.updateUser({ password });
  if (error) throw authProblem(error);
}
