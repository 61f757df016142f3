import { Fragment, type ReactNode } from "react";
import { Mark } from "../parts/mark.tsx";
import { paths } from "../paths.ts";

/** A step to the page: words, and the address if it is a page of its own. */
export type Crumb = { words: string; href?: string };

/**
 * The header of a page: where one is, and who is there. Plain HTML and page.css: the pages below /reference/ have it without
 * scripts too.
 */
export function HeaderBar({ crumbs, children }: { crumbs: Crumb[]; children: ReactNode }) {
  return (
    <header className="header">
      <div>
        <Mark />
        <div id="person" className="person">
          {children}
        </div>
      </div>
      <nav aria-label="Breadcrumbs">
        {crumbs.map(({ words, href }, place) => (
          <Fragment key={words}>
            {place > 0 && <span aria-hidden>›</span>}
            {href === undefined ? (
              <span aria-current={place === crumbs.length - 1 ? "page" : undefined}>{words}</span>
            ) : (
              <a href={href}>{words}</a>
            )}
          </Fragment>
        ))}
      </nav>
    </header>
  );
}

export const signInLink = (
  <a className="button" href={paths.signIn}>
    Sign in
  </a>
);
