/** The Supabase project, without a slash at the end. */
export const supabaseUrl = import.meta.env.VITE_SUPABASE_URL.replace(/\/+$/, "");
export const publishableKey = import.meta.env.VITE_SUPABASE_PUBLISHABLE_KEY;

/** The API's base address: every path of the API is relative to it (`docs/api.md`). */
export const baseAddress = `${supabaseUrl}/functions/v1/public-api`;

/** The address that people give to assistants, which also names us in our answer to them (RFC 9207). */
export const mcpAddress = import.meta.env.VITE_MCP_URL || `${baseAddress}/mcp`;
