// The search of the menu: by the words of the pages, in endpoints, guides and their parts. It is loaded at its first use.
import type { default as MiniSearch, Query, SearchOptions, SearchResult } from "minisearch";
import { open } from "./frame.ts";

/** What is found: `where` says in a word what it belongs to, `text` has what is searched, and shown in part. */
export type Found = { href: string; title: string; where: string; text: string };

const menu = document.querySelector<HTMLElement>(".menu");
const search = menu?.querySelector<HTMLElement>("search");
const field = search?.querySelector("input");
const said = menu?.querySelector("[role=status]");
const list = menu?.querySelector("ul");

/** Words that say nothing about what is sought. */
const idle = new Set(["a", "an", "the", "of", "to", "in", "for", "how", "do", "i", "is"]);

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);

/** Words that differ in their ending only are one: webhook and webhooks, authenticate and authentication. */
const stem = (word: string): string =>
  word
    .toLowerCase()
    .replace(/(?<=\w{3})s$/, "")
    .replace(/(?<=\w{4})(?:(?:at)?(?:ion|ing|ed|e)|ie|y)$/, "");

let index: Promise<MiniSearch> | undefined;

async function load(): Promise<MiniSearch> {
  const [{ default: MiniSearch }, answer] = await Promise.all([import("minisearch"), fetch("/reference/search.json")]);
  const made = new MiniSearch({
    fields: ["title", "where", "text"],
    storeFields: ["href", "title", "where", "text"],
    tokenize: wordsOf,
    processTerm: stem,
    searchOptions: {
      boost: { title: 3 },
      boostDocument: (_, __, stored) => (stored?.where === "Changelog" ? 0.2 : 1),
    },
  });
  const all: Found[] = await answer.json();
  made.addAll(all.map((found, id) => ({ id, ...found })));
  return made;
}

/** What has a word, else its parts ("powerbi"), else a similar word. It may be split too: `next` is its other half. */
function findWord(made: MiniSearch, word: string, next?: string): SearchResult[] {
  const halves = Array.from(word, (_, place) => ({
    combineWith: "AND" as const,
    queries: [word.slice(0, place), word.slice(place)],
  }));
  const ways: [Query, SearchOptions][] = [
    [{ combineWith: "OR", queries: next ? [word, word + next] : [word] }, { prefix: word.length > 2 }],
    [{ combineWith: "OR", queries: halves.slice(2, -1) }, {}],
    [word, { prefix: true, fuzzy: word.length > 4 && 0.2 }],
  ];
  return ways.map(([query, options]) => made.search(query, options)).find(({ length }) => length > 0) ?? [];
}

/** What is found, best first. What has more of the words counts more. */
function find(made: MiniSearch, text: string): SearchResult[][] {
  const words = wordsOf(text).filter((word) => !idle.has(word.toLowerCase()));
  const all = words.flatMap((word, place) => findWord(made, word, words[place + 1]));
  const weight = (found: SearchResult[]) => found.reduce((sum, { score }) => sum + score, 0) * found.length ** 2;
  return [...Map.groupBy(all, ({ id }) => id).values()].sort((one, other) => weight(other) - weight(one));
}

function element<Name extends "b" | "li" | "small" | "span">(name: Name, ...content: (string | Node)[]) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

/** The part of a text with the most of the words that were sought, each of them an expression. They are bold in it. */
function excerpt(text: string, words: string[]): (string | Node)[] {
  const starting = (word: string) => new RegExp(`(?<![\\p{L}\\p{N}])((?:${word})[\\p{L}\\p{N}]*)`, "iu");
  const sought = words.map(starting);
  const has = (part: string) => sought.filter((word) => word.test(part)).length;
  const parts = text.match(/.{1,140}(?= |$)/gu) ?? [""];
  const best = parts.reduce((most, part) => (has(part) > has(most) ? part : most));
  const pieces = best.split(starting(words.join("|")));
  const marked = pieces.map((piece, place) => (place % 2 === 0 ? piece : element("b", piece)));
  return [best === parts[0] ? "" : "…", ...marked, best === parts.at(-1) ? "" : " …"];
}

async function show(): Promise<void> {
  const text = field?.value.trim() ?? "";
  menu?.toggleAttribute("data-searching", text !== "");
  if (text === "" || !list || !said) {
    list?.replaceChildren();
    said?.replaceChildren();
    return;
  }
  open(true);
  index ??= load();
  const found = find(await index, text);
  if (field?.value.trim() !== text) return;
  said.textContent = found.length === 0 ? "Nothing found." : `${found.length} found. Enter opens the first.`;
  list.replaceChildren(
    ...found.map((matches) => {
      const { href, title, where, text } = matches[0] as unknown as Found;
      // A method and a path stay as they are when a browser translates the page.
      const name = Object.assign(element("span", title), { translate: !title.includes(" /") });
      const words = matches.map(({ terms }) => terms.join("|"));
      const link = Object.assign(document.createElement("a"), { href });
      link.append(name, " ", element("small", where), " ", element("small", ...excerpt(text, words)));
      return element("li", link);
    }),
  );
}

export function startSearch(): void {
  if (!search || !field) return;
  search.hidden = false;
  field.addEventListener("focus", () => {
    index ??= load();
  });
  field.addEventListener("input", () => void show());
  field.addEventListener("keydown", async (event) => {
    if (event.key !== "Enter") return;
    await show();
    list?.querySelector("a")?.click();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = (event.target as Element).closest("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
}
