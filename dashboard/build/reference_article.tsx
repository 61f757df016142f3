// The reference and the guides as HTML, made once when the page is built: a reader sees them before any script has run.
// The scripts (src/reference) add the header, the menu, copying and trying out.
import { MantineProvider, Typography } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { paths } from "../src/paths.ts";
import { addressOf, firstValues, languages } from "../src/reference/samples.ts";
import type { Article, Operation, Term } from "./reference_contents.ts";

/** Copies the element before it, or the file `from` (src/reference/copying.ts). */
function Copying({ label = "Copy", from }: { label?: string; from?: string }) {
  return (
    <div className="copying">
      <button type="button" className="button" data-copy={from ?? ""}>
        {label}
      </button>
      <span role="status" />
    </div>
  );
}

/** Text to copy. */
const Sample = ({ text }: { text: string }) => (
  <>
    <pre>
      <code>{text}</code>
    </pre>
    <Copying />
  </>
);

function Markdown({ html }: { html: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: made from the Markdown of our own documents
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
}

/** A parameter or a field, with a link to itself. */
function Terms({ place, terms }: { place: string; terms: Term[] }) {
  return (
    <dl>
      {terms.map(({ name, type, html }) => (
        <div key={name}>
          <dt id={`${place}-${name}`}>
            <a href={`#${place}-${name}`}>
              <code>{name}</code>
            </a>{" "}
            {type}
          </dt>
          <dd>
            <Markdown html={html} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Code for one request in four languages, of which the radio buttons show one, without a script too. */
function Samples({ operation: { id, method, path, body, parameters }, base }: { operation: Operation; base: string }) {
  const url = addressOf(base, path, firstValues(parameters));
  return (
    <fieldset className="languages">
      <legend>Code</legend>
      {Object.entries(languages).map(([language, write], place) => (
        <Fragment key={language}>
          <label>
            <input type="radio" name={`${id}-language`} value={language} defaultChecked={place === 0} />
            <span translate="no">{language}</span>
          </label>
          <div data-language={language}>
            <Sample text={write({ method, url, body })} />
          </div>
        </Fragment>
      ))}
    </fieldset>
  );
}

function OperationArticle({ operation, base }: { operation: Operation; base: string }) {
  const { id, method, path, parameters, body, summary, html, aliases, groups, answers, examples } = operation;
  return (
    <article id={id} aria-labelledby={`${id}-name`} className="operation" data-place={id}>
      <div>
        <h3 id={`${id}-name`} translate="no">
          {method} {path}
        </h3>
        <p>
          <b>{summary}</b>
        </p>
        <Markdown html={html} />
        {aliases.map((alias) => (
          <p key={alias}>
            Alias: <code>{alias}</code>, with the same parameters and the same answer.
          </p>
        ))}
      </div>
      <div className="beside">
        <Samples operation={operation} base={base} />
        {method === "GET" ? (
          <details data-try={JSON.stringify({ id, method, path, parameters, body })}>
            <summary>Try it</summary>
            <div />
          </details>
        ) : (
          <p>
            Not to be tried here: it would change a real catalogue. The code only tries it; without dry_run it writes.
          </p>
        )}
        {examples.map(({ format, text }) => (
          <div key={format}>
            <h4>Example in {format}</h4>
            <Sample text={text} />
          </div>
        ))}
      </div>
      <div>
        {groups.map((group) => (
          <div key={group.id}>
            <h4>{group.title}</h4>
            <Terms place={`${id}-${group.id}`} terms={group.terms} />
          </div>
        ))}
        <h4>Answers</h4>
        <dl>
          {answers.map(({ status, html, example, headers }) => (
            <div key={status}>
              <dt>
                <b>{status}</b>
              </dt>
              <dd>
                <Markdown html={html} />
                {example !== null && <code>{example}</code>}
                <details>
                  <summary>Headers</summary>
                  <span translate="no">{headers.join(", ")}</span>
                </details>
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </article>
  );
}

/** The HTML of the reference. @param base the API's base address, which the samples name */
export function referenceHtml(article: Article, base: string): string {
  const { method = "", path = "", examples = [] } = article.operations.find(({ id }) => id === "listTeams") ?? {};
  const [row] = JSON.parse(examples[0]?.text ?? "[]");
  return htmlOf(
    <>
      <section aria-label="About" data-place="">
        <h1>API reference</h1>
        <Markdown html={article.about} />
        <div className="address">
          <span>Base address:</span> <code>{base}</code> <Copying label="Copy base address" />
        </div>
        <p>
          An admin <a href={`${paths.publicApi}?create`}>creates a key</a>.{" "}
          <a href="/reference/guides/recipes/#set-the-address-and-the-key">Put it into the environment</a>. A request,
          and its answer:
        </p>
        <Sample text={languages.curl({ method, url: addressOf(base, path, { limit: "1" }), body: null })} />
        <pre>
          <code>{JSON.stringify([row], null, 2)}</code>
        </pre>
      </section>
      {article.tags.map(({ name, html }) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <Markdown html={html} />
          {article.operations
            .filter(({ tag }) => tag === name)
            .map((operation) => (
              <OperationArticle key={operation.id} operation={operation} base={base} />
            ))}
        </section>
      ))}
      <section aria-label="HTTP" id="http" data-place="http">
        <Markdown html={article.details} />
        <h2 id="headers">Headers of the answers</h2>
        <Terms place="header" terms={article.headers} />
        <p>
          For programs and assistants: <a href="/reference/openapi.json">openapi.json</a>,{" "}
          <a href="/reference/guides/api.md">the API guide as Markdown</a>, <a href="/llms.txt">llms.txt</a>.
        </p>
      </section>
    </>,
  );
}

const htmlOf = (page: ReactNode): string =>
  renderToStaticMarkup(
    <MantineProvider withCssVariables={false} withGlobalClasses={false}>
      <Typography>{page}</Typography>
    </MantineProvider>,
  );

export const copying = renderToStaticMarkup(<Copying />);

/** For addresses that there are not: static hosts serve it as 404.html. */
export const missingHtml = htmlOf(
  <>
    <h1>No such page</h1>
    <p>
      There is nothing at this address. <a href="/reference/">The API reference</a> and the guides are in the menu; keys
      are at <a href={paths.publicApi}>Public API</a>.
    </p>
  </>,
);

/** The HTML of a guide, with its Markdown to copy and to open. */
export const guideHtml = (html: string, markdown: string): string =>
  htmlOf(
    <article>
      <div className="address">
        <Copying label="Copy as Markdown" from={markdown} />
        <a href={markdown}>Markdown</a>
      </div>
      <Markdown html={html} />
    </article>,
  );
