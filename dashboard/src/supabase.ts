// The two clients of the project that the page needs. supabase-js would bring three more, a tenth of the page's weight.
import { AuthClient } from "@supabase/auth-js";
import { PostgrestClient } from "@supabase/postgrest-js";
import { publishableKey, supabaseUrl } from "./settings.ts";

/** Milliseconds after which a request without a response fails, so that no page waits for ever. */
export const deadline = 30_000;

const patientFetch: typeof fetch = (input, init) => {
  const late = AbortSignal.timeout(deadline);
  return fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, late]) : late });
};

const headers = { apikey: publishableKey, Authorization: `Bearer ${publishableKey}` };

// account/email_link.ts handles the links from emails. They need the implicit flow. The PKCE flow stores a secret in
// the browser that requests the email, and the link works only there. But an invitation is requested by somebody else,
// and the link of "Forgot password?" may be opened on another device.
const common = { url: `${supabaseUrl}/auth/v1`, headers, flowType: "implicit", detectSessionInUrl: false } as const;

/** Supabase Auth. The session is stored where supabase-js stores it. */
export const auth = new AuthClient({
  ...common,
  storageKey: `sb-${new URL(supabaseUrl).hostname.split(".")[0]}-auth-token`,
  fetch: patientFetch,
});

/** Supabase Auth without a session: the other client would end the current one if a link has expired. */
export const authOfLinks = new AuthClient({
  ...common,
  persistSession: false,
  autoRefreshToken: false,
  storageKey: "link",
  fetch: patientFetch,
});

/** The Data API, as the signed-in person. */
export const dataApi = new PostgrestClient(`${supabaseUrl}/rest/v1`, {
  headers,
  fetch: async (input, init) => {
    const { data } = await auth.getSession();
    const given = new Headers(init?.headers);
    if (data.session) given.set("Authorization", `Bearer ${data.session.access_token}`);
    return patientFetch(input, { ...init, headers: given });
  },
});
