import { createClient } from "@supabase/supabase-js";
import { followEmailLink } from "./account/email_link.ts";
import type { Database } from "./database.ts";
import { publishableKey, supabaseUrl } from "./settings.ts";

/** After this many milliseconds without an answer a request counts as lost: a page that waits for ever tells nobody anything. */
export const deadline = 30_000;

followEmailLink();

// Links sign in through account/email_link.ts. The implicit flow: an invitation is asked for by somebody else, and the link of "Forgot password?" may be opened on another device;
// neither has the secret that the PKCE flow leaves in the browser that asked.
export const supabase = createClient<Database>(supabaseUrl, publishableKey, {
  auth: { flowType: "implicit", detectSessionInUrl: false },
  global: {
    fetch: (input, init) => {
      const late = AbortSignal.timeout(deadline);
      return fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, late]) : late });
    },
  },
});
