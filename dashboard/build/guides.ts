import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, posix } from "node:path";
import { Marked } from "marked";
import { paths } from "../src/paths.ts";
import type { Found } from "../src/reference/search.ts";
import { copying } from "./reference_article.tsx";
import { heading, plain, scrolling, slug } from "./reference_contents.ts";

/** The documents that become pages below /reference/guides/, in the order of the menu. */
const guides = [
  ...["docs/api.md", "docs/api-errors.md", "docs/keys.md"],
  ...`README kudos-per-team excel-and-power-bi google-sheets import-rewards programs command-line sqlite databases
      warehouses assistants other-tools`
    .split(/\s+/)
    .map((name) => `docs/connect/${name}.md`),
  "CHANGELOG.md",
];

const root = `${import.meta.dirname}/../..`;

/** The files beside the guides, which they offer for download: below /reference/files/. */
const files = [...readdirSync(`${root}/docs/connect`), "typescript/lists.ts", "typescript/package.json"]
  .filter((name) => /^\w.*\.(?!md$)/.test(name))
  .map((name) => `docs/connect/${name}`);

const addressOf = (guide: string): string =>
  `/reference/guides/${basename(guide, ".md").replace("README", "recipes").toLowerCase()}/`;
/** The base address, and the address for assistants. */
export type Addresses = { base: string; mcp: string };

/** Puts the addresses of the project in place of those in the documents. */
const withAddresses = (text: string, { base, mcp }: Addresses): string =>
  text
    .replaceAll("https://<project>.supabase.co/functions/v1/public-api", base)
    .replaceAll("<base>/", `${base}/`)
    .replaceAll("https://<dashboard>/mcp", mcp);

/** The address of a guide as Markdown. */
const markdownOf = (address: string): string =>
  address.replace(/^(\/reference\/guides\/[^/#]+)\//, "$1.md").replace(/^\/reference\/#/, "/reference/openapi.json#");
const published = new Map([
  ...guides.map((guide) => [guide, addressOf(guide)] as const),
  ...files.map((file) => [file, `/reference/files/${basename(file)}`] as const),
  ["docs/openapi.json", "/reference/openapi.json"],
]);

/**
 * The address of the page that a link of a document points to; null if the target is not published. In the repository a link
 * such as `keys.md?create=power-bi#create-a-key` leads to the words about the dialog for a new key, here to the dialog.
 */
function target(document: string, href: string): string | null {
  if (/^(?:https?:|#)/.test(href)) return href;
  const [, path = "", query, fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(href) ?? [];
  const file = posix.join(posix.dirname(document), path);
  if (file === "docs/keys.md" && query !== undefined) return paths.publicApi + query;
  // An operation of the OpenAPI document is a part of the reference.
  if (file === "docs/openapi.json" && fragment !== "") return `/reference/${fragment}`;
  const address = published.get(file);
  return address === undefined ? null : address + fragment;
}

/** Converts Markdown to HTML. The links of `document` point to the published pages. */
const markedFor = (document: string): Marked =>
  new Marked({
    renderer: {
      heading,
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const leadsTo = target(document, href);
        if (leadsTo === null) return words;
        return `<a href="${leadsTo}"${leadsTo.startsWith("/reference/files/") ? " download" : ""}>${words}</a>`;
      },
      code({ text }) {
        const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
        return `<pre><code>${escaped}</code></pre>${copying}`;
      },
    },
  });

/** Applies a change to the text of a document outside of its blocks of code. */
const outsideCode = (text: string, change: (prose: string) => string): string =>
  text
    .split(/^(```.*?^```$)/ms)
    .map((part, place) => (place % 2 === 0 ? change(part) : part))
    .join("");

/**
 * A document as readers of the page get it: with the base address of the project, and with the titles of guides in place of the
 * names of their files.
 */
const forReaders = (document: string, text: string, addresses: Addresses, titles: Map<string, string>): string => {
  const titled = outsideCode(text, (prose) =>
    prose.replaceAll(/^!\[.*\n\n/gm, "").replaceAll(/\[`?[\w/.-]+\.md`?\]\(([^()\s]+)\)/g, (link, href: string) => {
      const title = titles.get(target(document, href)?.replace(/#.*/, "") ?? "");
      return title === undefined ? link : `[${title}](${href})`;
    }),
  );
  return withAddresses(titled, addresses);
};

/** The Markdown of a guide, whose links lead to the published guides as Markdown, and to nothing that is not published. */
const publishedMarkdown = (document: string, text: string): string =>
  outsideCode(text, (prose) =>
    prose.replaceAll(/\[([^\]]+)\]\(([^()\s]+)\)/g, (_, words: string, href: string) => {
      const leadsTo = target(document, href);
      return leadsTo === null ? words : `[${words}](${markdownOf(leadsTo)})`;
    }),
  );

/** What the search finds of a page: its parts, and in them the rows that begin with a number, such as a status. */
export function partsOf(page: string, address: string, text: string): Found[] {
  const parts = text.replaceAll(/^ *```.*?^ *```$/gms, "").split(/^(?=#{2,3} )/m);
  return parts.flatMap((part) => {
    const [, heading = "", words = ""] = /^(?:#{2,3} ([^\n]+)\n)?(?:# [^\n]+\n)?(.*)$/s.exec(part) ?? [];
    const [href, title, where] = heading
      ? [`${address}#${slug(heading)}`, plain(heading), page]
      : [address, page, "Guide"];
    const found = (title: string, where: string, text: string) => ({ href, title, where, text: plain(text) });
    const rows = [...words.matchAll(/^\|( *\d[^|]*)\|(.*)$/gm)];
    const ofRows = rows.map(([, cell = "", cells = ""]) => found(plain(cell), `${title}, ${page}`, cells));
    return [found(title, where, words), ...ofRows];
  });
}

/** A page below /reference/: its first sentence, its addresses, its HTML, its Markdown, and what is found of it. */
export type Page = Awaited<ReturnType<typeof readGuides>>[number];

export async function readGuides(addresses: Addresses) {
  const documents = await Promise.all(
    guides.map(async (file) => {
      const text = await readFile(`${root}/${file}`, "utf8");
      const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? file;
      return { file, text, title, address: addressOf(file) };
    }),
  );
  const titles = new Map(documents.map(({ address, title }) => [address, title]));
  return Promise.all(
    documents.map(async ({ file, text, title, address }) => {
      const published = forReaders(file, text, addresses, titles);
      const html = scrolling(await markedFor(file).parse(published));
      const markdown = { address: markdownOf(address), text: publishedMarkdown(file, published) };
      const found = partsOf(title, address, published);
      const sentences = found[0]?.text.match(/[^ ].*?[.:?](?= |$)/g) ?? [];
      const first = sentences.find((sentence) => !/^(?:Make|Create) a key/.test(sentence)) ?? "";
      // A colon may end it within a parenthesis.
      const about = first.replace(/(?: \([^()]*)?:$/, ".");
      return { title, about, address, markdown, html, found };
    }),
  );
}

/** The files for download, with the project's addresses in them. */
export async function readFiles(addresses: Addresses): Promise<[name: string, text: string][]> {
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(`${root}/${file}`, "utf8");
      return [basename(file), withAddresses(text, addresses)];
    }),
  );
}
