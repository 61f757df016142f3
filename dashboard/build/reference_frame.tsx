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

/** An endpoint: its method as a tag, its path, and what it is. Its changes are below it. */
function Endpoint({ operation, changes }: { operation: Operation; changes: Operation[] }) {
  const { id, method, path, summary } = operation;
  return (
    <li>
      <a href={`${home}#${id}`}>
        <b className="method" data-method={method} translate="no">
          {method}
        </b>{" "}
        <span translate="no">{path}</span> <small>{summary}</small>
      </a>
      {changes.length > 0 && (
        <ul>
          {changes.map((each) => (
            <Endpoint key={each.id} operation={each} changes={[]} />
          ))}
        </ul>
      )}
    </li>
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
          {tags.map(({ name }) => {
            const own = operations.filter(({ tag }) => tag === name);
            const changesOf = ({ path, method }: Operation) =>
              own.filter((other) => other.path === `${path}/changes` && other.method === method);
            return (
              <div key={name}>
                <h2>{name}</h2>
                <ul>
                  {own
                    .filter(({ path }) => !path.endsWith("/changes"))
                    .map((operation) => (
                      <Endpoint key={operation.id} operation={operation} changes={changesOf(operation)} />
                    ))}
                </ul>
              </div>
            );
          })}
          <div>
            <h2>Assistants</h2>
            <ul>
              <li>
                <a href={`${home}guides/assistants/#text`}>
                  <b className="method" data-method="POST" translate="no">
                    POST
                  </b>{" "}
                  <span translate="no">/mcp</span> <small>Tools that read, for Claude Code and others</small>
                </a>
              </li>
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
