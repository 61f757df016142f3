import { readFile } from "node:fs/promises";
import { basename, posix } from "node:path";
import { Marked } from "marked";
import { paths } from "../src/paths.ts";
import { copying } from "./reference_article.tsx";
import { scrolling } from "./reference_contents.ts";

/** The documents that become pages below /reference/guides/, in the order of the menu. */
const guides = [
  "docs/connect/README.md",
  "docs/connect/kudos-per-team.md",
  "docs/connect/excel-and-power-bi.md",
  "docs/connect/google-sheets.md",
  "docs/connect/curl.md",
  "docs/connect/powershell.md",
  "docs/connect/python.md",
  "docs/connect/r.md",
  "docs/connect/node.md",
  "docs/connect/typescript.md",
  "docs/connect/command-line.md",
  "docs/connect/sqlite.md",
  "docs/connect/databases.md",
  "docs/connect/warehouses.md",
  "docs/connect/assistants.md",
  "docs/connect/other-tools.md",
  "docs/api.md",
  "docs/api-reference.md",
  "docs/api-errors.md",
  "CHANGELOG.md",
];

/** The files that the guides offer for download, below /reference/files/. */
const files = [
  "docs/connect/public-data-api.pq",
  "docs/connect/public-data-api.postman_collection.json",
  "docs/connect/typescript/package.json",
  "docs/connect/dlt_public_data_api.py",
  "docs/connect/airbyte-public-data-api.yaml",
  "docs/connect/n8n-public-data-api.json",
];

const addressOf = (guide: string): string =>
  `/reference/guides/${basename(guide, ".md").replace("README", "recipes").toLowerCase()}/`;
/** The address of a guide as Markdown. */
const markdownOf = (address: string): string => address.replace(/^(\/reference\/guides\/[^/#]+)\//, "$1.md");
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
  const address = published.get(file);
  return address === undefined ? null : address + fragment;
}

/** The fragment of a heading, made as code hosts make it. */
const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** Converts Markdown to HTML. The links of `document` point to the published pages. */
const markedFor = (document: string): Marked =>
  new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const leadsTo = target(document, href);
        if (leadsTo === null) return words;
        return `<a href="${leadsTo}"${leadsTo.startsWith("/reference/files/") ? " download" : ""}>${words}</a>`;
      },
      image: ({ text }) => text,
      code({ text }) {
        const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
        return `<pre tabindex="0"><code>${escaped}</code></pre>${copying}`;
      },
    },
  });

/** The Markdown of a guide, whose links lead to the published guides as Markdown, and to nothing that is not published. */
const publishedMarkdown = (document: string, text: string): string =>
  text.replaceAll(/\[([^\]\n]+)\]\(([^()\s]+)\)/g, (_, words: string, href: string) => {
    const leadsTo = target(document, href);
    return leadsTo === null ? words : `[${words}](${markdownOf(leadsTo)})`;
  });

/** A page below /reference/: its title, its addresses, its HTML, its Markdown and the headings in it. */
export type Page = {
  title: string;
  address: string;
  markdown: { address: string; text: string };
  html: string;
  headings: { text: string; id: string }[];
};

export async function readGuides(root: string): Promise<Page[]> {
  return Promise.all(
    guides.map(async (file) => {
      const text = await readFile(`${root}/${file}`, "utf8");
      const title = /^# (.+)$/m.exec(text)?.[1];
      if (title === undefined) throw new Error(`${file} has no title`);
      const html = scrolling(await markedFor(file).parse(text));
      const headings = [...text.replaceAll(/^```.*?^```/gms, "").matchAll(/^#{2,3} (.+)$/gm)].map(
        ([, heading = ""]) => ({
          text: heading.replaceAll("`", ""),
          id: slug(heading),
        }),
      );
      const address = addressOf(file);
      const markdown = { address: markdownOf(address), text: publishedMarkdown(file, text) };
      return { title: title.replaceAll("`", ""), address, markdown, html, headings };
    }),
  );
}

/** The files for download. The project's base address replaces the placeholder in them. */
export async function readFiles(root: string, baseAddress: string): Promise<[name: string, text: string][]> {
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(`${root}/${file}`, "utf8");
      return [basename(file), text.replaceAll("https://<project>.supabase.co/functions/v1/public-api", baseAddress)];
    }),
  );
}
