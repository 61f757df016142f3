// The search of the menu: endpoints, parameters, errors, guides and their sections. What it needs is loaded at its first use.
import type MiniSearch from "minisearch";
import type { Found } from "./contents.ts";

const field = document.querySelector<HTMLInputElement>(".menu input");
const search = document.querySelector<HTMLElement>(".menu search");
const said = search?.querySelector("p");
const list = search?.querySelector("ul");
const most = 12;

/** What people type, and the words of these pages for it. */
const synonyms: Record<string, string> = {
  token: "key authentication",
  secret: "key authentication",
  password: "key authentication",
  expired: "expires 401",
  login: "key authentication",
  employee: "members people",
  employees: "members people",
  staff: "members people",
  user: "members people",
  users: "members people",
  thanks: "kudos",
  recognition: "kudos",
  mood: "ratings pulse",
  moods: "ratings pulse",
  survey: "pulse",
  catalog: "catalogue rewards",
  pagination: "starting_after lists",
  paging: "starting_after lists",
  next: "starting_after lists",
  throttling: "429",
  rate: "429",
  quota: "429",
  cron: "sync copy",
  schedule: "sync copy",
  nightly: "sync copy",
  webhook: "changes",
  incremental: "changes",
  deleted: "changes",
  tableau: "tools",
  chatgpt: "assistants",
  claude: "assistants",
  gpt: "assistants",
  spreadsheet: "sheets excel",
};

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
  const query = (combineWith: "AND" | "OR") => ({
    combineWith,
    queries: telling.map((word) => ({
      ...options,
      combineWith: "OR" as const,
      queries: [word, ...(Object.hasOwn(synonyms, word) ? (synonyms[word] ?? "").split(" ") : [])].map((each) => ({
        ...options,
        combineWith: "AND" as const,
        queries: [each],
      })),
    })),
  });
  const all = made.search(query("AND"));
  return (all.length > 0 ? all : made.search(query("OR"))).slice(0, most);
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
      link.append(title, " ", Object.assign(document.createElement("small"), { textContent: where }));
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
