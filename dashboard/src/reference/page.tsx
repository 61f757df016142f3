import { contents } from "virtual:reference";
import { Container, NavLink, Text, TextInput } from "@mantine/core";
import { useDocumentTitle, useHash, useMediaQuery } from "@mantine/hooks";
import Search from "lucide-react/icons/search";
import { type ReactNode, useEffect, useState } from "react";
import { Header } from "../pages/header.tsx";
import { paths } from "../paths.ts";
import classes from "./reference.module.css";

/** An entry of the menu. `found`: words by which the search finds it, besides those that are shown. */
type Item = { words: string; href: string; found?: string };

const home = "/reference/";
const endpoints: Item[] = contents.operations.map(({ id, method, path, found }) => ({
  words: `${method} ${path}`,
  href: `${home}#${id}`,
  found,
}));
const guides: Item[] = contents.guides.map(({ title, address }) => ({ words: title, href: address }));
const sections: Item[] = contents.guides.flatMap(({ title, address, headings }) =>
  headings.map(({ text, id }) => ({ words: `${title}: ${text}`, href: `${address}#${id}` })),
);

/** The items that have every word of the search. */
function searched(all: Item[], search: string): Item[] {
  const words = search.toLowerCase().split(/\s+/);
  return all.filter(({ words: shown, found = "" }) =>
    words.every((word) => `${shown} ${found}`.toLowerCase().includes(word)),
  );
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
  // The browser looked for the place of the address before the page was there. With its typeface the text is longer, and
  // the place is further down. A reader who has scrolled meanwhile stays where they are.
  useEffect(() => {
    const scroll = (): void =>
      document.getElementById(decodeURIComponent(window.location.hash.slice(1)))?.scrollIntoView();
    scroll();
    const arrived = window.scrollY;
    void document.fonts.ready.then(() => window.scrollY === arrived && scroll());
  }, []);
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
  const isNarrow = useMediaQuery("(max-width: 64rem)", undefined, { getInitialValueInEffect: false });
  const [hash] = useHash({ getInitialValueInEffect: false });
  const here = window.location.pathname.replace(/\/?$/, "/") + hash;

  const groups: Record<string, Item[]> =
    search === ""
      ? {
          Endpoints: [{ words: "Overview", href: home }, ...endpoints],
          Guides: [...guides, { words: "openapi.json", href: `${home}openapi.json` }],
        }
      : { Endpoints: searched(endpoints, search), Guides: searched([...guides, ...sections], search) };
  const entries = (
    <>
      <TextInput
        type="search"
        aria-label="Search the reference"
        placeholder="Search"
        leftSection={<Search aria-hidden size={16} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        my="xs"
      />
      {Object.entries(groups).map(([title, items]) => (
        <section key={title} aria-label={title}>
          <Text component="h2" size="sm" fw={600} mt="md" mb={4}>
            {title}
          </Text>
          {items.length === 0 && <Text size="sm">Nothing found.</Text>}
          {items.map(({ words, href }) => (
            <NavLink
              key={href}
              href={href}
              onClick={() => setOpened(false)}
              label={words}
              py={4}
              bdrs="sm"
              {...(here === href ? { "aria-current": "page" } : {})}
            />
          ))}
        </section>
      ))}
    </>
  );
  return (
    <nav className={classes.menu} aria-label="Reference">
      {isNarrow ? (
        <details open={opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
          <summary>Contents</summary>
          {entries}
        </details>
      ) : (
        <div>{entries}</div>
      )}
    </nav>
  );
}
