import react from "@vitejs/plugin-react";
import { defineConfig, loadEnv } from "vite";
import { contentSecurityPolicy } from "./build/content_security_policy.ts";
import { pages } from "./build/pages.ts";
import { expectPublishable } from "./build/publishable_key.ts";
import { themeStyles } from "./build/theme_styles.ts";

/** Returns a setting. Throws if it is missing: a page built without it would fail only later, for an admin. */
function setting(name: string, env: Record<string, string>): string {
  const value = env[name];
  if (!value) throw new Error(`Set ${name} (docs/operate/dashboard.md says where to find it)`);
  return value;
}

export default defineConfig(({ mode }) => {
  const env = loadEnv(mode, import.meta.dirname);
  expectPublishable(setting("VITE_SUPABASE_PUBLISHABLE_KEY", env));
  const supabaseUrl = setting("VITE_SUPABASE_URL", env);
  return {
    root: import.meta.dirname,
    plugins: [
      react({ jsxImportSource: `${import.meta.dirname}/src/jsx` }),
      themeStyles(),
      contentSecurityPolicy(supabaseUrl),
      pages(supabaseUrl, env.VITE_MCP_URL ?? ""),
    ],
    // A file inlined as a data: address would need a wider Content-Security-Policy.
    build: {
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      emptyOutDir: true,
      chunkSizeWarningLimit: 900,
      rolldownOptions: {
        input: ["index.html", "reference.html"].map((page) => `${import.meta.dirname}/${page}`),
        // All styles in one file, in the order of their imports: Mantine's first, so that our own stand behind them and win.
        output: { codeSplitting: { groups: [{ name: "styles", test: /\.css$/ }] } },
      },
    },
  };
});
