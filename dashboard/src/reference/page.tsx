import { contents } from "virtual:reference";
import { Container, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { Search } from "lucide-react";
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { Header } from "../pages/header.tsx";
import { paths } from "../paths.ts";
import classes from "./reference.module.css";

const home = "/reference/";
const items = {
  Endpoints: contents.operations.map(({ id, method, path, aliases, summary, parameters, fields }) => ({
    words: `${method} ${path}`,
    href: `${home}#${id}`,
    found: [summary, ...aliases, ...parameters.map(({ name }) => name), ...fields.map(({ name }) => name)].join(" "),
  })),
  Guides: contents.guides.map(({ title, address }) => ({ words: title, href: address, found: "" })),
};
const sections = contents.guides.flatMap(({ title, address, headings }) =>
  headings.map(({ text, id }) => ({ words: `${title}: ${text}`, href: `${address}#${id}`, found: "" })),
);
type Item = { words: string; href: string; found: string };

/** The items that have every word of the search. */
function searched(all: Item[], search: string): Item[] {
  const words = search.toLowerCase().split(/\s+/);
  return all.filter(({ words: shown, found }) =>
    words.every((word) => `${shown} ${found}`.toLowerCase().includes(word)),
  );
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

/** The frame of the reference and of its guides: the header, the menu with the search, and the page. */
export function ReferencePage({ children }: { children: ReactNode }) {
  const guide = contents.guides.find(({ address }) => window.location.pathname.startsWith(address));
  const crumbs = [
    { words: "Integrations" },
    { words: "Public API", href: paths.publicApi },
    { words: "API reference", href: home },
    ...(guide ? [{ words: guide.title }] : []),
  ];
  useDocumentTitle(`${guide?.title ?? "API reference"} · Recognition and rewards`);
  return (
    <>
      <Header member={null} crumbs={crumbs} />
      <Container size={1280} className={classes.columns}>
        <Menu />
        <main>{children}</main>
      </Container>
    </>
  );
}

/** The menu, with a search of endpoints and guides. On a narrow screen it is one line that opens over the page. */
function Menu() {
  const [search, setSearch] = useState("");
  const [opened, setOpened] = useState(false);
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  const here = window.location.pathname.replace(/\/?$/, "/") + hash;
  // biome-ignore lint/correctness/useExhaustiveDependencies: wherever an entry has led
  useEffect(() => setOpened(false), [here]);

  const groups: [string, Item[]][] =
    search === ""
      ? [
          ["Endpoints", [{ words: "Overview", href: home, found: "" }, ...items.Endpoints]],
          ["Guides", [...items.Guides, { words: "openapi.json", href: `${home}openapi.json`, found: "" }]],
        ]
      : [
          ["Endpoints", searched(items.Endpoints, search)],
          ["Guides", searched([...items.Guides, ...sections], search)],
        ];
  return (
    <nav className={classes.menu} aria-label="Reference">
      <details open={opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
        <summary>Contents</summary>
        <TextInput
          type="search"
          aria-label="Search the reference"
          placeholder="Search"
          leftSection={<Search aria-hidden size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          my="xs"
        />
        {groups.map(([title, listed]) => (
          <section key={title} aria-label={title}>
            <h2>{title}</h2>
            {listed.length === 0 && <p>Nothing found.</p>}
            <ul>
              {listed.map(({ words, href }) => (
                <li key={href}>
                  <a href={href} {...(here === href ? { "aria-current": "page" } : {})}>
                    {words}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </details>
    </nav>
  );
}
