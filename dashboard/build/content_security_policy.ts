import type { Plugin } from "vite";

/** The page may load files of its own origin and connect to its Supabase project. Nothing inline, no other hosts. */
function policy(supabaseUrl: string): string {
  return [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${new URL(supabaseUrl).origin}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join("; ");
}

/** Puts the policy into the built page, where it works on every static host. frame-ancestors works only as a header. */
export function contentSecurityPolicy(supabaseUrl: string): Plugin {
  return {
    name: "content-security-policy",
    // The development server needs inline scripts.
    apply: "build",
    transformIndexHtml: () => [
      {
        tag: "meta",
        attrs: { "http-equiv": "Content-Security-Policy", content: policy(supabaseUrl) },
        injectTo: "head-prepend",
      },
    ],
  };
}
