import { createClient } from "@supabase/supabase-js";
import type { Database } from "./database.ts";
import { publishableKey, supabaseUrl } from "./settings.ts";

/** Milliseconds after which a request without a response fails, so that no page waits for ever. */
export const deadline = 30_000;

// account/email_link.ts handles the links from emails. They need the implicit flow. The PKCE flow stores a secret in
// the browser that requests the email, and the link works only there. But an invitation is requested by somebody else,
// and the link of "Forgot password?" may be opened on another device.
export const supabase = createClient<Database>(supabaseUrl, publishableKey, {
  auth: { flowType: "implicit", detectSessionInUrl: false },
  global: {
    fetch: (input, init) => {
      const late = AbortSignal.timeout(deadline);
      return fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, late]) : late });
    },
  },
});
