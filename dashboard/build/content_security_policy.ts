import type { Plugin } from "vite";

/**
 * The page may load files of its own origin and connect to its Supabase project. Nothing inline, no other hosts. The policy is in
 * the built page, where it works on every static host. frame-ancestors works only as a header.
 */
export function contentSecurityPolicy(supabaseUrl: string): Plugin {
  const content = [
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
  return {
    name: "content-security-policy",
    // The development server needs inline scripts.
    apply: "build",
    transformIndexHtml: () => [
      { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content }, injectTo: "head-prepend" },
    ],
  };
}
