// What the account pages ask of Supabase Auth. Each throws a Problem.
import { paths } from "../paths.ts";
import { authProblem } from "../problems.ts";
import { supabase } from "../supabase.ts";
import type { EmailLink } from "./email_link.ts";

export async function signIn(email: string, password: string): Promise<void> {
  const { error } = await supabase.auth.signInWithPassword({ email, password });
  if (error) throw authProblem(error);
}

/** Mails a link that leads to the page that sets a password. Auth does not tell whether the address has an account. */
export async function sendPasswordLink(email: string): Promise<void> {
  const redirectTo = window.location.origin + paths.setPassword;
  const { error } = await supabase.auth.resetPasswordForEmail(email, { redirectTo });
  if (error) throw authProblem(error);
}

/** Signs in as the one whom a link from an email was sent to, in place of whoever is signed in. */
export async function signInByLink(link: EmailLink): Promise<void> {
  const { error } = await supabase.auth.setSession(link);
  if (error) throw authProblem(error);
}

export async function setPassword(password: string): Promise<void> {
  const { error } = await supabase.auth.updateUser({ password });
  if (error) throw authProblem(error);
}
