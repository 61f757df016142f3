// A link from an e-mail (invitation, "Forgot password?", confirmation) comes back from Supabase Auth with its outcome in the fragment:
// tokens and a type, or an error. supabase-js reads the tokens; which page they lead to is decided here, before it does.
import { paths } from "./paths.ts";
import type { Errand } from "./router.ts";

export function followEmailLink(): void {
  const outcome = new URLSearchParams(window.location.hash.slice(1));
  const failed: Errand = { linkFailed: true };
  if (outcome.has("error")) window.history.replaceState(failed, "", paths.setPassword);
  else if (["invite", "recovery"].includes(outcome.get("type") ?? "")) {
    window.history.replaceState({}, "", paths.setPassword + window.location.hash);
  }
}
