// The requests of the account pages to Supabase Auth. Each function throws a Problem when it fails.
import { paths } from "../paths.ts";
import { authProblem } from "../problems.ts";
import { auth } from "../supabase.ts";
import type { UsedLink } from "./email_link.ts";

async function done(answer: Promise<{ error: unknown }>): Promise<void> {
  const { error } = await answer;
  if (error) throw authProblem(error);
}

export const signIn = (email: string, password: string): Promise<void> =>
  done(auth.signInWithPassword({ email, password }));

/** Sends an email with a link to the page that sets a password. Auth does not tell whether the account exists. */
export const sendPasswordLink = (email: string): Promise<void> =>
  done(auth.resetPasswordForEmail(email, { redirectTo: window.location.origin + paths.setPassword }));

/** Signs in the person to whom the link was sent by email. Replaces the current session, if there is one. */
export const signInByLink = (link: UsedLink): Promise<void> => done(auth.setSession(link));

export const setPassword = (password: string): Promise<void> => done(auth.updateUser({ password }));
