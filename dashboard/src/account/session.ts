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
  // A refreshed token is the same session: whoever looks at it need not draw again.
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

/** Ends the session in this browser; if the service cannot be reached, the session there ends by itself. */
export async function signOut(): Promise<void> {
  leaving = true;
  await supabase.auth.signOut({ scope: "local" });
  leaving = false;
}

/** To be called when the service no longer knows the session: leads to the sign-in page, and from there back. */
export async function loseSession(): Promise<void> {
  await supabase.auth.signOut({ scope: "local" });
}
