import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Plugin } from "vite";
import { policy } from "./content_security_policy.ts";

const renderer = createRequire(import.meta.url).resolve("swagger-ui-dist/swagger-ui-bundle.js");
const own = `${import.meta.dirname}/../reference`;

/** What /reference consists of: our frame, the renderer as it is published, and the document. */
const files: Record<string, string> = {
  "page.css": `${own}/page.css`,
  "page.js": `${own}/page.js`,
  "icon.svg": `${own}/../src/icon.svg`,
  "swagger-ui.js": renderer,
  "swagger-ui.css": renderer.replace("-bundle.js", ".css"),
};

/**
 * Builds /reference: the OpenAPI document with this project's base address, and the page that shows it. It is a page apart, so that
 * the dashboard loads nothing of it, and nobody has to sign in for it.
 */
export function referencePage(supabaseUrl: string): Plugin {
  return {
    name: "reference-page",
    apply: "build",
    async generateBundle() {
      const emit = (name: string, source: string) =>
        this.emitFile({ type: "asset", fileName: `reference/${name}`, source });
      for (const [name, path] of Object.entries(files)) emit(name, await readFile(path, "utf8"));

      const page = await readFile(`${own}/index.html`, "utf8");
      emit("index.html", page.replace("%CONTENT_SECURITY_POLICY%", policy(supabaseUrl)));

      const document = JSON.parse(await readFile(`${import.meta.dirname}/../../docs/openapi.json`, "utf8"));
      const url = `${supabaseUrl.replace(/\/+$/, "")}/functions/v1/public-api`;
      emit("openapi.json", JSON.stringify({ ...document, servers: [{ url, description: "The base address." }] }));
    },
  };
}
