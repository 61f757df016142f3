/** The Supabase project, without a slash at the end. */
export const supabaseUrl = import.meta.env.VITE_SUPABASE_URL.replace(/\/+$/, "");
export const publishableKey = import.meta.env.VITE_SUPABASE_PUBLISHABLE_KEY;

/** The API's base address: every path of the API is relative to it (`docs/api.md`). */
export const baseAddress = `${supabaseUrl}/functions/v1/public-api`;
