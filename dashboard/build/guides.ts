import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { Marked } from "marked";

/** The documents for callers that are pages below /reference/guides/, in the order of the menu. */
const guides = [
  "docs/connect/excel-and-power-bi.md",
  "docs/connect/google-sheets.md",
  "docs/connect/curl.md",
  "docs/connect/powershell.md",
  "docs/connect/python.md",
  "docs/connect/r.md",
  "docs/connect/node.md",
  "docs/connect/typescript.md",
  "docs/connect/command-line.md",
  "docs/connect/other-tools.md",
  "docs/api.md",
  "CHANGELOG.md",
];

const nameOf = (file: string): string => basename(file, ".md").toLowerCase();
const addressOf = (file: string): string => `/reference/guides/${nameOf(file)}/`;
const published = new Map(guides.map((file) => [basename(file), addressOf(file)]));

/** Where a link of a document leads among the pages; null when it leads out of them, into the repository. */
function target(href: string): string | null {
  if (/^(?:https?:|#)/.test(href)) return href;
  const [path = "", fragment] = href.split("#");
  const page = basename(path) === "openapi.json" ? "/reference/openapi.json" : published.get(basename(path));
  return page === undefined ? null : fragment === undefined ? page : `${page}#${fragment}`;
}

/** A heading's fragment, as code hosts make it. */
const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const words = this.parser.parseInline(tokens);
      const leadsTo = target(href);
      return leadsTo === null ? words : `<a href="${leadsTo}">${words}</a>`;
    },
    image: ({ text }) => text,
    code({ text }) {
      const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      return `<pre tabindex="0"><code>${escaped}</code></pre>`;
    },
  },
});

/** A page below /reference/: its title, its address and its HTML. */
export type Guide = { title: string; address: string; html: string };

/** A table that is too wide scrolls by itself, also for those who use the keyboard. */
const scrolling = (html: string): string =>
  html
    .replaceAll("<table>", '<div class="scrolls" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>");

export async function readGuides(root: string): Promise<Guide[]> {
  return Promise.all(
    guides.map(async (file) => {
      const text = await readFile(`${root}/${file}`, "utf8");
      const title = /^# (.+)$/m.exec(text)?.[1];
      if (title === undefined) throw new Error(`${file} has no title`);
      return { title: title.replaceAll("`", ""), address: addressOf(file), html: scrolling(await marked.parse(text)) };
    }),
  );
}
