import { readFile } from "node:fs/promises";
import type { Plugin } from "vite";
import { readFiles, readGuides } from "./guides.ts";
import { contentsOf } from "./reference_contents.ts";

const root = `${import.meta.dirname}/../..`;
const contents = "virtual:reference";

const readOpenApi = async () => JSON.parse(await readFile(`${root}/docs/openapi.json`, "utf8"));

/**
 * Builds /reference: a page for the API and one for each guide, from reference.html, the OpenAPI document with this
 * project's base address, and the files that guides offer for download. The dashboard loads nothing of it, and nobody
 * has to sign in to read it.
 */
export function referencePages(supabaseUrl: string): Plugin {
  return {
    name: "reference-pages",
    enforce: "post",
    resolveId: (id) => (id === contents ? `\0${contents}` : undefined),
    async load(id) {
      if (id !== `\0${contents}`) return;
      const guides = (await readGuides(root)).map(({ title, address, headings }) => ({ title, address, headings }));
      return `export const contents = ${JSON.stringify(contentsOf(await readOpenApi(), guides))}`;
    },
    async generateBundle(_, bundle) {
      const page = bundle["reference.html"];
      if (page?.type !== "asset") throw new Error("Vite built no reference.html");
      delete bundle["reference.html"];
      const emit = (fileName: string, source: string) => this.emitFile({ type: "asset", fileName, source });
      const emitPage = (address: string, title: string, article: string) =>
        emit(
          `${address.slice(1)}index.html`,
          String(page.source)
            .replaceAll("%TITLE%", () => title)
            .replace("%ARTICLE%", () => article),
        );

      const needsScript =
        '<noscript>This page needs JavaScript. The document behind it is <a href="/reference/openapi.json">openapi.json</a>.</noscript>';
      emitPage("/reference/", "API reference", needsScript);
      for (const { address, title, html } of await readGuides(root)) emitPage(address, title, html);

      const url = `${supabaseUrl.replace(/\/+$/, "")}/functions/v1/public-api`;
      const servers = [{ url, description: "The base address." }];
      emit("reference/openapi.json", JSON.stringify({ ...(await readOpenApi()), servers }));
      for (const [name, text] of await readFiles(root, url)) emit(`reference/files/${name}`, text);
    },
  };
}
