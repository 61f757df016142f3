// The frame of the pages below /reference/ as HTML: header and menu are there before any script has run, and without.
// The scripts (src/reference) add the search, the mark of where one is, and who is signed in.
import { renderToStaticMarkup } from "react-dom/server";
import { paths } from "../src/paths.ts";
import type { Article } from "./reference_contents.ts";

export const home = "/reference/";

type Operation = Article["operations"][number];
type Link = { title: string; address: string };

/** @param icon the address of the product's icon  @param title of the page, null for that of the API */
export const headerHtml = (icon: string, title: string | null): string =>
  renderToStaticMarkup(
    <header>
      <div>
        <span className="mark">
          <img src={icon} alt="" width={28} height={28} /> Recognition and rewards
        </span>
        <div id="person" className="person">
          <a className="sign-in" href={paths.signIn}>
            Sign in
          </a>
        </div>
      </div>
      <nav aria-label="Breadcrumbs">
        <span>Integrations</span>
        <a href={paths.publicApi}>Public API</a>
        {title === null ? (
          <span aria-current="page">API reference</span>
        ) : (
          <>
            <a href={home}>API reference</a>
            <span aria-current="page">{title}</span>
          </>
        )}
      </nav>
    </header>,
  );

type Entry = Pick<Operation, "method" | "path" | "summary"> & { href: string };

/** An endpoint: its method as a tag, its path, and what it is. Its changes are below it. */
function Endpoint({ href, method, path, summary, changes = [] }: Entry & { changes?: Entry[] }) {
  return (
    <li>
      <a href={href}>
        <b className="method" data-method={method} translate="no">
          {method}
        </b>{" "}
        <span translate="no">{path}</span> <small>{summary}</small>
      </a>
      {changes.length > 0 && (
        <ul>
          {changes.map((each) => (
            <Endpoint key={each.href} {...each} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** The endpoints of a resource. */
function Endpoints({ operations }: { operations: Operation[] }) {
  const entries = operations.map((operation) => ({ ...operation, href: `${home}#${operation.id}` }));
  const isChanges = ({ path }: Entry): boolean => path.endsWith("/changes");
  return (
    <ul>
      {entries
        .filter((entry) => !isChanges(entry))
        .map((entry) => (
          <Endpoint
            key={entry.href}
            {...entry}
            changes={entries.filter(({ path, method }) => path === `${entry.path}/changes` && method === entry.method)}
          />
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

/** The menu: the endpoints by resource and the guides, each in the order of its page. On a narrow screen a button opens it. */
export const menuHtml = ({ tags, operations }: Article, guides: Link[]): string =>
  renderToStaticMarkup(
    <nav className="menu" aria-label="Reference">
      <button type="button" aria-expanded="false">
        Contents
      </button>
      <div>
        <search hidden>
          <input type="search" aria-label="Search the reference" placeholder="Search (press /)" />
          <p role="status" />
          <ul aria-label="Found" />
        </search>
        <div className="entries">
          <Links links={[{ title: "Overview", address: home }]} />
          {tags.map(({ name }) => (
            <div key={name}>
              <h2>{name}</h2>
              <Endpoints operations={operations.filter(({ tag }) => tag === name)} />
            </div>
          ))}
          <div>
            <h2>Assistants</h2>
            <ul>
              <Endpoint
                href={`${home}guides/assistants/#text`}
                method="POST"
                path="/mcp"
                summary="Tools that read, for Claude Code and others"
              />
            </ul>
          </div>
          <div>
            <h2>Guides</h2>
            <Links links={[...guides, { title: "openapi.json", address: `${home}openapi.json` }]} />
          </div>
        </div>
      </div>
    </nav>,
  );
