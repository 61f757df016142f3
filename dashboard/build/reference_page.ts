import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Plugin } from "vite";
import { policy } from "./content_security_policy.ts";
import { type Guide, readFiles, readGuides } from "./guides.ts";

const { resolve } = createRequire(import.meta.url);
const renderer = resolve("swagger-ui-dist/swagger-ui-bundle.js");
const root = `${import.meta.dirname}/../..`;
const own = `${root}/dashboard/reference`;

/** Files that are copied to /reference unchanged: our scripts and styles, the renderer's script, the font. */
const files: Record<string, string> = {
  "frame.css": `${own}/frame.css`,
  "page.css": `${own}/page.css`,
  "page.js": `${own}/page.js`,
  "aliases.js": `${own}/aliases.js`,
  "menu.js": `${own}/menu.js`,
  "samples.js": `${own}/samples.js`,
  "icon.svg": `${own}/../src/icon.svg`,
  "inter.woff2": resolve("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"),
  "swagger-ui.js": renderer,
};

type Operation = { operationId: string; summary: string; tags: string[] };
type OpenApi = { tags: { name: string }[]; paths: Record<string, Record<string, Operation>> };

const item = (address: string, words: string, current: boolean): string =>
  `<li><a href="${address}"${current ? ' aria-current="page"' : ""}>${words}</a></li>`;

/** The menu: the endpoints without aliases, linked by the renderer's own addresses, then the guides. */
function menu({ tags, paths }: OpenApi, guides: Guide[], current: string): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, name: `${method.toUpperCase()} ${path}` })),
  );
  const endpoints = tags.flatMap((tag) =>
    operations
      .filter((operation) => operation.tags[0] === tag.name && !operation.summary.startsWith("Alias of "))
      .map(({ operationId, name }) => item(`/reference/#/${tag.name}/${operationId}`, name, false)),
  );
  const pages = guides.map(({ address, title }) => item(address, title, address === current));
  return [
    '<h2 class="menu-title">Endpoints</h2>',
    `<ul>${item("/reference/", "Overview", current === "/reference/")}${endpoints.join("")}</ul>`,
    '<h2 class="menu-title">Guides</h2>',
    `<ul>${pages.join("")}${item("/reference/openapi.json", "openapi.json", false)}</ul>`,
  ].join("\n");
}

const head = `<link rel="stylesheet" href="/reference/swagger-ui.css">
    <link rel="stylesheet" href="/reference/page.css">
    <script src="/reference/swagger-ui.js" defer></script>
    <script src="/reference/page.js" type="module"></script>`;

const referenceCrumb = '<li aria-current="page">API reference</li>';
const guideCrumbs = (title: string): string =>
  `<li><a href="/reference/">API reference</a></li><li aria-current="page">${title}</li>`;

/**
 * Builds /reference: the OpenAPI document with this project's base address, the page that shows it, and a page for each
 * guide. They are separate pages, so that the dashboard loads nothing of them, and nobody has to sign in to read them.
 */
export function referencePage(supabaseUrl: string): Plugin {
  return {
    name: "reference-page",
    apply: "build",
    async generateBundle() {
      const emit = (name: string, source: string | Uint8Array) =>
        this.emitFile({ type: "asset", fileName: `reference/${name}`, source });
      for (const [name, path] of Object.entries(files)) emit(name, await readFile(path));
      // In a cascade layer, so that our styles take precedence over the renderer's, whatever their specificity.
      const styles = await readFile(renderer.replace("-bundle.js", ".css"), "utf8");
      emit("swagger-ui.css", `@layer renderer {\n${styles}\n}\n`);

      const document = JSON.parse(await readFile(`${root}/docs/openapi.json`, "utf8"));
      const url = `${supabaseUrl.replace(/\/+$/, "")}/functions/v1/public-api`;
      emit("openapi.json", JSON.stringify({ ...document, servers: [{ url, description: "The base address." }] }));
      for (const [name, text] of await readFiles(root, url)) emit(`files/${name}`, text);

      const frame = await readFile(`${own}/frame.html`, "utf8");
      const guides = await readGuides(root);
      const emitPage = (address: string, parts: { TITLE: string; HEAD: string; BREADCRUMBS: string; MAIN: string }) => {
        const all = { ...parts, CONTENT_SECURITY_POLICY: policy(supabaseUrl), MENU: menu(document, guides, address) };
        const html = frame.replace(/%([A-Z_]+)%/g, (_, name: keyof typeof all) => all[name]);
        emit(`${address.replace("/reference/", "")}index.html`, html);
      };
      const main = await readFile(`${own}/reference.html`, "utf8");
      emitPage("/reference/", { TITLE: "API reference", HEAD: head, BREADCRUMBS: referenceCrumb, MAIN: main });
      for (const { title, address, html } of guides) {
        const article = `<main><article>${html}</article></main>`;
        emitPage(address, { TITLE: title, HEAD: "", BREADCRUMBS: guideCrumbs(title), MAIN: article });
      }
    },
  };
}
