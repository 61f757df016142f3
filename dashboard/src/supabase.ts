// What the page needs of the project: the client of Auth, and the functions of the Data API. supabase-js would bring four more
// clients, a tenth of the page's weight.
import { AuthClient } from "@supabase/auth-js";
import { authProblem, Problem } from "./problems.ts";
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

/** Calls a function of the Data API, as the signed-in person. The body is null if it is no JSON. */
export async function callFunction(name: string, args: object): Promise<{ status: number; body: unknown }> {
  const { data, error } = await auth.getSession();
  // The token could not be renewed: nothing is sent, and only Auth says whether the session has ended.
  if (error) throw new Problem("failed", authProblem(error).message);
  const Authorization = data.session ? `Bearer ${data.session.access_token}` : headers.Authorization;
  const response = await patientFetch(`${supabaseUrl}/rest/v1/rpc/${name}`, {
    method: "POST",
    headers: { ...headers, Authorization, "Content-Type": "application/json" },
    body: JSON.stringify(args),
  });
  return { status: response.status, body: await response.json().catch(() => null) };
}
