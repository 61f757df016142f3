// The frame of the pages below /reference/ as HTML: header and menu are there before any script has run, and without.
// The scripts (src/reference) add the search, the mark of where one is, and who is signed in.
import { renderToStaticMarkup } from "react-dom/server";
import { HeaderBar, signInLink } from "../src/pages/header_bar.tsx";
import { paths } from "../src/paths.ts";
import { type Article, type Operation, withTheirChanges } from "./reference_contents.ts";

export const home = "/reference/";

type Link = { title: string; address: string };

/** @param title of the page, null for that of the API */
export const headerHtml = (title: string | null): string =>
  renderToStaticMarkup(
    <HeaderBar
      crumbs={[
        { words: "Integrations" },
        { words: "Public API", href: paths.publicApi },
        ...(title === null ? [{ words: "API reference" }] : [{ words: "API reference", href: home }, { words: title }]),
      ]}
    >
      {signInLink}
    </HeaderBar>,
  );

type Entry = Pick<Operation, "method" | "path" | "summary"> & { href: string };

/** An endpoint: its method as a tag, its path, and what it is. */
const EndpointLink = ({ href, method, path, summary }: Entry) => (
  <a href={href}>
    <b className="method" data-method={method} translate="no">
      {method}
    </b>{" "}
    <span translate="no">{path}</span> <small>{summary}</small>
  </a>
);

/** The endpoints of a resource. The changes of a list are below it. */
function Endpoints({ entries }: { entries: Entry[] }) {
  return (
    <ul>
      {withTheirChanges(entries).map(([list, ...changes]) => (
        <li key={list?.href}>
          {list && <EndpointLink {...list} />}
          {changes.length > 0 && <Endpoints entries={changes} />}
        </li>
      ))}
    </ul>
  );
}

function Links({ links }: { links: Link[] }) {
  return (
    <ul>
      {links.map(({ title, address }) => (
        <li key={address}>
          <a href={address}>{title}</a>
        </li>
      ))}
    </ul>
  );
}

const mcp: Entry = {
  href: `${home}guides/assistants/#text`,
  method: "POST",
  path: "/mcp",
  summary: "Tools that read, for Claude Code and others",
};

/** The menu: the endpoints by resource and the guides, each in the order of its page. On a narrow screen a button opens it. */
export const menuHtml = ({ tags, operations }: Article, guides: Link[]): string =>
  renderToStaticMarkup(
    <nav className="menu" aria-label="Reference">
      <button type="button" className="button" aria-expanded="false">
        Contents
      </button>
      <search hidden>
        <input className="button" type="search" aria-label="Search the reference" placeholder="Search (press /)" />
      </search>
      <div>
        <p role="status" />
        <ul aria-label="Found" />
        <div className="entries">
          <Links links={[{ title: "Overview", address: home }]} />
          <Links links={[{ title: "Requests, scopes, headers", address: `${home}#http` }]} />
          {tags.map(({ name }) => (
            <div key={name}>
              <h2>{name}</h2>
              <Endpoints
                entries={operations
                  .filter(({ tag }) => tag === name)
                  .map((operation) => ({ ...operation, href: `${home}#${operation.id}` }))}
              />
            </div>
          ))}
          <div>
            <h2>Assistants</h2>
            <Endpoints entries={[mcp]} />
          </div>
          <div>
            <h2>Guides</h2>
            <Links links={[...guides, { title: "openapi.json", address: `${home}openapi.json` }]} />
          </div>
        </div>
      </div>
    </nav>,
  );
