// The search of the menu: endpoints, parameters, errors, guides and their sections. What it needs is loaded at its first use.
import type MiniSearch from "minisearch";

/** What is found: `where` says in a word what it belongs to, `text` has what is searched and not shown. */
export type Found = { href: string; title: string; where: string; text: string };

const field = document.querySelector<HTMLInputElement>(".menu input");
const search = document.querySelector<HTMLElement>(".menu search");
const said = search?.querySelector("p");
const list = search?.querySelector("ul");
const maxFound = 12;

/** Words of these pages, and what people type for them. */
const synonyms: Record<string, string> = {
  "key authentication": "token secret password login",
  "expires 401": "expired",
  "members people": "employee employees staff user users",
  kudos: "thanks recognition",
  "ratings pulse": "mood moods",
  pulse: "survey",
  "catalogue rewards": "catalog",
  "starting_after lists": "pagination paging next",
  "429": "throttling rate quota",
  "sync copy": "cron schedule nightly",
  changes: "webhook incremental deleted",
  tools: "tableau",
  assistants: "chatgpt claude gpt",
  "sheets excel": "spreadsheet",
};

/** A word, and the words for it here. */
const alike = (word: string): string[] => [
  word,
  ...Object.keys(synonyms).flatMap((ours) => (synonyms[ours]?.split(" ").includes(word) ? ours.split(" ") : [])),
];

/** Words that say nothing about what is sought. */
const idle = new Set(["a", "an", "the", "of", "to", "in", "for", "how", "do", "i", "is", "get"]);

let index: Promise<MiniSearch<Found>> | undefined;

async function load(): Promise<MiniSearch<Found>> {
  const [{ default: MiniSearch }, answer] = await Promise.all([import("minisearch"), fetch("/reference/search.json")]);
  const made = new MiniSearch<Found>({
    fields: ["title", "where", "text"],
    storeFields: ["title", "where"],
    idField: "href",
  });
  made.addAll(await answer.json());
  return made;
}

/** What is found, best first: with all words, else with some of them. */
function find(made: MiniSearch<Found>, text: string) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const telling = words.filter((word) => words.length === 1 || !idle.has(word));
  const options = {
    prefix: true,
    fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
    boost: { title: 3 },
    boostDocument: (_: string, __: string, stored?: Record<string, unknown>) =>
      stored?.where === "Changelog" ? 0.2 : 1,
  };
  const queries = telling.map((word) => ({ combineWith: "OR" as const, queries: alike(word) }));
  const query = (combineWith: "AND" | "OR") => made.search({ combineWith, queries }, options);
  const all = query("AND");
  return (all.length > 0 ? all : query("OR")).slice(0, maxFound);
}

async function show(): Promise<void> {
  const text = field?.value.trim() ?? "";
  search?.toggleAttribute("data-active", text !== "");
  if (text === "" || !list || !said) {
    list?.replaceChildren();
    said?.replaceChildren();
    return;
  }
  index ??= load();
  const found = find(await index, text);
  if (field?.value.trim() !== text) return;
  said.textContent = found.length === 0 ? "Nothing found." : `${found.length} found. Enter opens the first.`;
  list.replaceChildren(
    ...found.map(({ id, title, where }) => {
      const link = document.createElement("a");
      link.href = id;
      // A method and a path stay as they are when a browser translates the page.
      const name = Object.assign(document.createElement("span"), {
        textContent: title,
        translate: !title.includes(" /"),
      });
      link.append(name, " ", Object.assign(document.createElement("small"), { textContent: where }));
      const item = document.createElement("li");
      item.append(link);
      return item;
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
    const opener = document.querySelector<HTMLButtonElement>('.menu > button[aria-expanded="false"]');
    if (opener?.checkVisibility()) opener.click();
    field.focus();
  });
}
