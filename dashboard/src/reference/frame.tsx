import { contents } from "virtual:reference";
import { NavLink, Text, TextInput } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import Search from "lucide-react/icons/search";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { HeaderBar, SignInButton } from "../pages/header_bar.tsx";
import { paths } from "../paths.ts";

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

/** Only for somebody who has a session here: most readers never load what signs people in. */
const Person = lazy(async () => ({ default: (await import("../pages/header.tsx")).Person }));
const isKnown = Object.keys(window.localStorage).some((name) => /^sb-.*-auth-token$/.test(name));

/** The frame of the reference and of its guides: the header, and the menu with the search. */
export function Frame() {
  const guide = contents.guides.find(({ address }) => window.location.pathname.startsWith(address));
  const crumbs = [
    { words: "Integrations" },
    { words: "Public API", href: paths.publicApi },
    { words: "API reference", href: home },
    ...(guide ? [{ words: guide.title }] : []),
  ];
  // With the header and its typeface the page is longer: the place of the address is further down than the browser
  // found it. A reader who has scrolled meanwhile stays where they are.
  useEffect(() => {
    const scroll = (): void =>
      document.getElementById(decodeURIComponent(window.location.hash.slice(1)))?.scrollIntoView();
    scroll();
    const arrived = window.scrollY;
    void document.fonts.ready.then(() => window.scrollY === arrived && scroll());
  }, []);
  return (
    <>
      <HeaderBar crumbs={crumbs}>
        {isKnown ? (
          <Suspense>
            <Person member={null} />
          </Suspense>
        ) : (
          <SignInButton />
        )}
      </HeaderBar>
      <Menu />
    </>
  );
}

/** The id of the part of the page that a reader has before them: the last one that crossed a line in its upper quarter. */
function usePlace(): string {
  const [place, setPlace] = useState(window.location.hash.slice(1));
  useEffect(() => {
    const watcher = new IntersectionObserver(
      (entries) => {
        const here = entries.find(({ isIntersecting }) => isIntersecting)?.target;
        if (here instanceof HTMLElement) setPlace(here.dataset.place ?? "");
      },
      { rootMargin: "-25% 0px -75% 0px" },
    );
    for (const part of document.querySelectorAll("[data-place]")) watcher.observe(part);
    return () => watcher.disconnect();
  }, []);
  return place;
}

/** The menu, with a search of endpoints and guides. On a narrow screen it is one line that opens over the page. */
function Menu() {
  const [search, setSearch] = useState("");
  const [opened, setOpened] = useState(false);
  const isNarrow = useMediaQuery("(max-width: 64rem)", undefined, { getInitialValueInEffect: false });
  const address = window.location.pathname.replace(/\/?$/, "/");
  const place = usePlace();
  const here = address === home && place !== "" ? `${home}#${place}` : address;
  const menu = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the mark has moved
  useEffect(() => {
    const mark = menu.current?.querySelector<HTMLElement>("[aria-current]");
    const entries = mark?.closest<HTMLElement>(".menu > *");
    if (!mark || !entries) return;
    // The menu alone: scrollIntoView would move the page too, past its header. Its lower part may be below the screen.
    const isInSight =
      mark.offsetTop > entries.scrollTop && mark.offsetTop < entries.scrollTop + entries.clientHeight * 0.7;
    if (!isInSight) entries.scrollTop = mark.offsetTop - entries.clientHeight / 3;
  }, [here]);

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
    <nav ref={menu} className="menu" aria-label="Reference">
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
