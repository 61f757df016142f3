import { readFile } from "node:fs/promises";
import type { Plugin } from "vite";
import { type Page, readFiles, readGuides } from "./guides.ts";
import { guideHtml, referenceHtml } from "./reference_article.tsx";
import { articleOf, operationsOf } from "./reference_contents.ts";

const root = `${import.meta.dirname}/../..`;
const contents = "virtual:reference";

const readOpenApi = async () => JSON.parse(await readFile(`${root}/docs/openapi.json`, "utf8"));

/** Sets the colours before the page is first drawn. A file, because the Content-Security-Policy refuses inline scripts. */
const colours =
  'document.documentElement.dataset.mantineColorScheme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";\n';

/** What an assistant reads first (llmstxt.org). */
const llms = (guides: Page[]): string => `# Public data API

> Reads one company's people, kudos, rewards and anonymous mood data over HTTP, as JSON or CSV, and imports a reward
> catalogue. Every request needs a key, in the header X-API-Key.

## The API

- [OpenAPI document](/reference/openapi.json): every operation, parameter, field and error
${guides.map(({ title, markdown }) => `- [${title}](${markdown.address})`).join("\n")}
`;

/**
 * Builds /reference: a page for the API and one for each guide, from reference.html, each guide as Markdown too, the
 * OpenAPI document with this project's base address, and the files that guides offer for download; and /llms.txt. The
 * dashboard loads nothing of it, and nobody has to sign in to read it.
 */
export function referencePages(supabaseUrl: string): Plugin {
  return {
    name: "reference-pages",
    enforce: "post",
    resolveId: (id) => (id === contents ? `\0${contents}` : undefined),
    async load(id) {
      if (id !== `\0${contents}`) return;
      const guides = (await readGuides(root)).map(({ title, address, headings }) => ({ title, address, headings }));
      return `export const contents = ${JSON.stringify({ operations: operationsOf(articleOf(await readOpenApi())), guides })}`;
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

      const url = `${supabaseUrl.replace(/\/+$/, "")}/functions/v1/public-api`;
      const guides = await readGuides(root);
      emitPage("/reference/", "API reference", referenceHtml(articleOf(await readOpenApi()), url));
      for (const { address, title, html, markdown } of guides) {
        emitPage(address, title, guideHtml(html, markdown.address));
        emit(markdown.address.slice(1), markdown.text);
      }
      emit("llms.txt", llms(guides));
      emit("reference/colours.js", colours);

      const servers = [{ url, description: "The base address." }];
      emit("reference/openapi.json", JSON.stringify({ ...(await readOpenApi()), servers }));
      for (const [name, text] of await readFiles(root, url)) emit(`reference/files/${name}`, text);
    },
  };
}
