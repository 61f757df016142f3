// The second factor of the signed-in account: the codes of an authenticator app. Each function throws a Problem when it fails.
import { authProblem, Problem } from "../problems.ts";
import { auth } from "../supabase.ts";

/** A factor that works once its first code is verified. `qr` is the address of a picture of the same secret. */
export type NewFactor = { id: string; qr: string; secret: string };

async function dataOf<Data>(answer: Promise<{ data: Data; error: unknown }>): Promise<NonNullable<Data>> {
  const { data, error } = await answer;
  if (data) return data;
  const problem = authProblem(error);
  if (problem.kind === "session") await auth.signOut({ scope: "local" });
  throw problem;
}

/** The ID of the authenticator app; null without one. */
export const currentFactor = async (): Promise<string | null> =>
  (await dataOf(auth.mfa.listFactors())).totp[0]?.id ?? null;

/** Verifies a code, which makes the session one that has shown its factor, and a new factor one that works. */
export async function verifyCode(factorId: string, code: string): Promise<void> {
  await dataOf(auth.mfa.challengeAndVerify({ factorId, code }));
}

/** Verifies a code of the app of this account. */
export async function showFactor(code: string): Promise<void> {
  const id = await currentFactor();
  if (id === null)
    throw new Problem(
      "refused",
      "This page can ask for the code of an authenticator app only, and your account has none. Load the page again, or ask whoever runs the service.",
    );
  await verifyCode(id, code);
}

export async function removeFactor(factorId: string): Promise<void> {
  await dataOf(auth.mfa.unenroll({ factorId }));
  // Until then the session says that it has shown the factor.
  await auth.refreshSession();
}

/** Begins to set up an app, in place of one that was begun before. */
export async function newFactor(): Promise<NewFactor> {
  const { all } = await dataOf(auth.mfa.listFactors());
  for (const { id, status } of all) if (status === "unverified") await removeFactor(id);
  const { id, totp } = await dataOf(auth.mfa.enroll({ factorType: "totp", issuer: "Recognition and rewards" }));
  return { id, qr: totp.qr_code, secret: totp.secret };
}
