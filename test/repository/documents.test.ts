// The links between the documents, what npm run generate writes into them, what a program can check of
// docs/making/writing.md, and that code which refers to a page names one of its headings.
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { expect, test } from "vitest";
import { generatedFiles } from "../../scripts/generate.ts";
import { root } from "../../scripts/stack/process.ts";
import { codeBlocks, read } from "../support/pages.ts";

const documents = globSync("**/*.md", { cwd: root, exclude: ["**/node_modules", "**/dist"] }).sort();
const withoutCode = (markdown: string) => markdown.replace(/^( *)(`{3,})[^\n]*\n.*?^\1\2$/gms, "");
const headingsOf = (markdown: string) => [...withoutCode(markdown).matchAll(/^(#+) (.+)$/gm)];

test.each([...(await generatedFiles())])("%s is what npm run generate writes", (file, text) => {
  const written = read(file);
  expect(file.endsWith(".json") ? JSON.stringify(JSON.parse(written)) : written, "stale: npm run generate").toBe(text);
});

/** The fragments of a document's headings, as code hosting sites build them. */
const fragments = (markdown: string): string[] =>
  headingsOf(markdown.toLowerCase()).map(([, , heading = ""]) =>
    heading.replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"),
  );

test("every link of a document leads to a file of the repository, and to a heading that it has", () => {
  expect(documents).toEqual(expect.arrayContaining(["README.md", "docs/connect/other-tools.md"]));
  const dead = documents.flatMap((document) => {
    const links = [...withoutCode(read(document)).matchAll(/\]\(([^)\s:?#]*)(?:\?[^)\s#]*)?(?:#([^)\s]+))?\)/g)];
    return links.flatMap(([link, path = "", fragment]) => {
      const file = path === "" ? `${root}/${document}` : resolve(`${root}/${dirname(document)}`, path);
      const text = existsSync(file) && fragment ? readFileSync(file, "utf8") : "";
      // A fragment of the OpenAPI document is an operation.
      const places = file.endsWith(".json") ? text.match(/(?<="operationId": ")\w+/g) : fragments(text);
      const leads = existsSync(file) && (!fragment || places?.includes(fragment));
      return leads ? [] : [`${document}: ${link}`];
    });
  });
  expect(dead).toEqual([]);
});

const generated = ["test/specification.md", "scripts/bench/results.md"];
const pages = documents.filter((document) => !generated.includes(document));

/** Phrases that no page needs, each with what to write instead. */
const phrases: [phrase: RegExp, instead: string][] = [
  [/\banew\b/i, "again"],
  [/\bto be had\b/i, "available"],
  [/\bin the midst\b/i, "in the middle"],
  [/\bheld against\b/i, "compared with"],
  [/\be-mail/i, "email"],
  [/\bor newer\b/i, "or later"],
  [/\b(simply|obviously|of course)\b/i, "nothing"],
  [/\b(it|which|that|who) is none\b/i, "the noun again"],
  [/\b\d{1,2} (Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\b/, "a date such as 2026-11-26"],
];

test.each(pages)("%s keeps the rules that a program can check", (page) => {
  const markdown = read(page);
  const prose = withoutCode(markdown);
  // The guide quotes what it advises against, and a line of a table or of a generated part cannot be broken.
  const checked = prose.split("\n").filter((line) => !(page.endsWith("writing.md") && line.startsWith("|")));
  const byHand = prose.replace(/^<!-- \w+ -->$.*?^<!-- end -->$/gms, "");
  const wide = byHand.split("\n").filter((line) => !line.startsWith("|") && line.length > 120);
  expect(wide, "lines of more than 120 characters").toEqual([]);
  const found = phrases.flatMap(([phrase, instead]) =>
    checked.filter((line) => phrase.test(line)).map((line) => `${line} (write: ${instead})`),
  );
  expect(found).toEqual([]);

  // Pasted as a whole into a shell without bracketed paste, such as bash before 5.1, it would be taken for the key.
  const followed = codeBlocks(page).filter(({ text }) => /\bread -\w+ .*\n./.test(text));
  expect(followed, "a line below one that reads a key").toEqual([]);

  expect(markdown, "a value that a generator did not have").not.toMatch(/\b(undefined|NaN|\[object Object\])/);

  const headings = headingsOf(markdown);
  const levels = headings.map(([, level = ""]) => level.length);
  const first = levels.filter((level) => level === 1);
  expect(first, "one title, in the first line").toEqual([1]);
  expect(markdown).toMatch(/^# /);
  const deep = levels.filter((level, index) => level > (levels[index - 1] ?? 1) + 1);
  expect(deep, "levels that are left out").toEqual([]);
  const titles = headings.map(([, , title]) => title ?? "");
  expect(titles.filter((title) => /[.:!]$/.test(title))).toEqual([]);
  const again = titles.filter((title, index) => titles.indexOf(title) !== index);
  expect(again, "headings that occur twice").toEqual([]);
});

test("the sections of the changelog have a version and a date, the newest first", () => {
  const headings = headingsOf(read("CHANGELOG.md")).flatMap(([, level, title = ""]) => (level === "##" ? [title] : []));
  // Versions 1.0.0 and 1.1.0 have no date; that of the next version is set by npm run release.
  expect(headings.filter((heading) => !/^\d+\.\d+\.\d+( \(\d{4}-\d\d-\d\d\))?$/.test(heading))).toEqual([]);
  const newestFirst = headings.toSorted((one, other) => other.localeCompare(one, "en", { numeric: true }));
  expect(headings).toEqual(newestFirst);
});

/** A page, and what follows a comma: `docs/api.md`, Lists. The lines of a comment are one text. */
const reference = /\b((?:docs\/[\w/-]+|README|CONTRIBUTING|SECURITY|CHANGELOG)\.md)`?(?:, ([A-Z][^\n]{0,80}))?/g;

test("every page that the code names exists, and so does the heading", () => {
  const sources =
    "{functions,cli,dashboard,scripts,sql,test,.github,supabase}/**/*.{ts,tsx,mts,sql,yml,toml,psql,json}";
  const files = globSync(sources, { cwd: root, exclude: ["**/node_modules", "**/dist", "supabase/migrations"] });
  const checked = files
    .filter((file) => basename(file) !== "documents.test.ts")
    .flatMap((file) => {
      const text = read(file).replaceAll(/\n *(?:\/\/|--|\*) ?/g, " ");
      return [...text.matchAll(reference)].map(([whole, page = "", rest]) => ({ file, whole, page, rest }));
    });
  expect(checked.filter(({ rest }) => rest).length).toBeGreaterThan(100);
  const titles = new Map(pages.map((page) => [page, headingsOf(read(page)).map(([, , title = ""]) => title)]));
  const dead = checked.filter(({ page, rest }) => {
    const known = titles.get(page);
    return !known || (rest && !known.some((title) => new RegExp(`^${RegExp.escape(title)}(?!\\w)`).test(rest)));
  });
  expect(dead.map(({ file, whole }) => `${file}: ${whole}`)).toEqual([]);
});
