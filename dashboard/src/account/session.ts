import { useSyncExternalStore } from "react";
import { paths } from "../paths.ts";
import { navigate } from "../router.ts";
import { supabase } from "../supabase.ts";

export type Session = { status: "unknown" } | { status: "signed_out" } | { status: "signed_in"; email: string };

let session: Session = { status: "unknown" };
let leaving = false;
const listeners = new Set<() => void>();

supabase.auth.onAuthStateChange((event, current) => {
  const wasSignedIn = session.status === "signed_in";
  const email = current?.user.email ?? "";
  if (!current) session = { status: "signed_out" };
  // A refreshed token belongs to the same session: the object stays the same, so that nothing is rendered again.
  else if (session.status !== "signed_in" || session.email !== email) session = { status: "signed_in", email };
  if (event === "SIGNED_OUT" && wasSignedIn) {
    navigate(paths.signIn, leaving ? {} : { returnTo: paths.publicApi, sessionLost: true }, "replace");
  }
  for (const listener of listeners) listener();
});

export function useSession(): Session {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => session,
  );
}

/** Ends the session in this browser. If the service cannot be reached, the session expires there by itself. */
export async function signOut(): Promise<void> {
  leaving = true;
  await supabase.auth.signOut({ scope: "local" });
  leaving = false;
}

/** Call this when the service no longer knows the session. Leads to the sign-in page, and back after signing in. */
export async function loseSession(): Promise<void> {
  await supabase.auth.signOut({ scope: "local" });
}
