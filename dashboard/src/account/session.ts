import { auth } from "../supabase.ts";
import { watched } from "../watched.ts";

/**
 * Signed in and `ended`: the session is over, but the page is held (see `holdPage`). Signed out and `lost`: there was a
 * session, which the person has not ended here.
 */
export type Session =
  | { status: "unknown" }
  | { status: "signed_out"; lost: boolean }
  | { status: "signed_in"; email: string; ended: boolean };

let session: Session = { status: "unknown" };
/** How many parts of the page hold it, and the session that it shows when none does any more. */
let holds = 0;
let next: Session | null = null;
let leaving = false;
const watch = watched();

auth.onAuthStateChange((_, current) => {
  const heard: Session = current
    ? { status: "signed_in", email: current.user.email ?? "", ended: false }
    : {
        status: "signed_out",
        lost: session.status === "signed_in" ? !leaving : session.status === "signed_out" && session.lost,
      };
  if (session.status !== "signed_in") session = heard;
  // A refreshed token belongs to the same session: the object stays the same, so that nothing is rendered again.
  else if (heard.status === "signed_in" && heard.email === session.email) {
    next = null;
    if (session.ended) session = heard;
  } else if (holds > 0) {
    next = heard;
    session = { ...session, ended: true };
  } else session = heard;
  watch.changed();
});

export const useSession = (): Session => watch.use(() => session);

/** Whether the page is held. */
export const useIsHeld = (): boolean => watch.use(() => holds > 0);

/** Keeps the page as it is, even if the session ends. Returns a function that lets it follow the session again. */
export function holdPage(): () => void {
  holds += 1;
  watch.changed();
  return () => {
    holds -= 1;
    if (holds === 0 && next !== null) {
      session = next;
      next = null;
    }
    watch.changed();
  };
}

/** Ends the session in this browser. If the service cannot be reached, the session expires there by itself. */
export async function signOut(): Promise<void> {
  leaving = true;
  await auth.signOut({ scope: "local" });
  leaving = false;
}
