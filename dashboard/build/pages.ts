import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import type { Plugin } from "vite";
import { paths } from "../src/paths.ts";
import { signInHtml } from "./first_sign_in.tsx";
import { type Page, partsOf, readFiles, readGuides } from "./guides.ts";
import { guideHtml, missingHtml, referenceHtml } from "./reference_article.tsx";
import { articleOf, foundIn } from "./reference_contents.ts";
import { headerHtml, home, menuHtml } from "./reference_frame.tsx";

const root = `${import.meta.dirname}/../..`;

/**
 * What the first drawing needs: the colors, and whether somebody has a session here. A file, because the
 * Content-Security-Policy refuses inline scripts.
 */
const colours = `const page = document.documentElement;
page.classList.add("scripted");
if (matchMedia("(prefers-color-scheme: dark)").matches) page.dataset.mantineColorScheme = "dark";
if (Object.keys(localStorage).some((name) => /^sb-.*-auth-token$/.test(name))) page.classList.add("session");
`;

/** What an assistant reads first (llmstxt.org). */
const llms = (guides: Page[], baseAddress: string): string => `# Public data API

> Reads one company's people, kudos, rewards and anonymous mood data over HTTP, as JSON or CSV, and imports a reward
> catalogue. Every request needs a key, in the header X-API-Key.

The base address is ${baseAddress}: \`GET ${baseAddress}\` checks a key and lists its scopes and endpoints. An admin makes
keys at /integrations/public-api. Start with the guide of your language, or with the OpenAPI document.

## The API

- [OpenAPI document](/reference/openapi.json): every operation, parameter, field and error
- [All guides in one file](/llms-full.txt): the texts below, one after the other

## Guides

${guides.map(({ title, about, markdown }) => `- [${title}](${markdown.address}): ${about}`).join("\n")}
`;

/** Our command line as a package, which npm installs from the page: so its version always fits the server. */
async function packCommandLine(): Promise<Buffer> {
  const folder = await mkdtemp(`${tmpdir()}/public-data-api-`);
  try {
    const pack = ["pack", "--silent", "--workspace", "cli", "--pack-destination", folder];
    await promisify(execFile)("npm", pack, { cwd: root, shell: process.platform === "win32" });
    const [file = ""] = await readdir(folder);
    return await readFile(`${folder}/${file}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Writes the dashboard's page once for every path, so that it also works on a static host that has no fallback page. And builds
 * /reference: a page for the API and one for each guide, from reference.html, each guide as Markdown too, what the
 * search finds, the OpenAPI document with this project's base address, and the files that guides offer for download; and
 * /llms.txt, and the page for addresses that there are not. The dashboard loads nothing of it, and nobody has to sign in to
 * read it.
 */
export function pages(supabaseUrl: string, mcpUrl: string): Plugin {
  const baseAddress = `${supabaseUrl.replace(/\/+$/, "")}/functions/v1/public-api`;
  const addresses = { base: baseAddress, mcp: mcpUrl || `${baseAddress}/mcp` };
  return {
    name: "pages",
    enforce: "post",
    async generateBundle(_, bundle) {
      const take = (page: string): string => {
        const file = bundle[page];
        if (file?.type !== "asset") throw new Error(`Vite built no ${page}`);
        delete bundle[page];
        return String(file.source);
      };
      const emit = (fileName: string, source: string | Uint8Array) =>
        this.emitFile({ type: "asset", fileName, source });
      const page = take("index.html");
      // Where people come who may have to sign in.
      const atSignIn = page.replace("%SIGN_IN%", signInHtml);
      for (const path of Object.values(paths)) {
        const isForAll = path === paths.setPassword || path === paths.forgotPassword;
        emit(`${path.slice(1)}/index.html`, isForAll ? page.replace("%SIGN_IN%", "") : atSignIn);
      }
      emit("index.html", atSignIn);
      const frame = take("reference.html");
      const openApi = JSON.parse(await readFile(`${root}/docs/openapi.json`, "utf8"));
      const article = articleOf(openApi);
      const guides = await readGuides(addresses);
      const menu = menuHtml(article, guides);
      const emitPage = (fileName: string, title: string, text: string) => {
        const parts = {
          TITLE: title,
          HEADER: headerHtml(fileName === "reference/index.html" ? null : title),
          MENU: menu,
          // In the words of documents too, code stays as it is when a browser translates the page.
          ARTICLE: text.replaceAll("<code>", '<code translate="no">'),
        };
        const html = frame.replaceAll(/%(TITLE|HEADER|MENU|ARTICLE)%/g, (_, name: keyof typeof parts) => parts[name]);
        emit(fileName, html);
      };

      emitPage(`${home.slice(1)}index.html`, "API reference", referenceHtml(article, baseAddress));
      for (const { address, title, html, markdown } of guides) {
        emitPage(`${address.slice(1)}index.html`, title, guideHtml(html, markdown.address));
        emit(markdown.address.slice(1), markdown.text);
      }
      emitPage("404.html", "No such page", missingHtml);
      emit("llms.txt", llms(guides, baseAddress));
      emit("llms-full.txt", guides.map(({ markdown }) => markdown.text).join("\n\n"));
      const found = [...foundIn(article), ...partsOf("API reference", home, openApi.info.description)];
      emit("reference/search.json", JSON.stringify([...found, ...guides.flatMap(({ found }) => found)]));
      emit("reference/colours.js", colours);

      const servers = [{ url: baseAddress, description: "The base address." }];
      emit("reference/openapi.json", JSON.stringify({ ...openApi, servers }));
      for (const [name, text] of await readFiles(addresses)) emit(`reference/files/${name}`, text);
      emit("reference/files/public-data-api-cli.tgz", await packCommandLine());
    },
  };
}
