import { type Path, paths } from "./paths.ts";
import { watched } from "./watched.ts";

/** A path of the dashboard, with or without a query. */
export type Address = Path | `${Path}${string}`;

/** What a page passes to the next one. It is stored in the history entry, so that it survives a reload. */
export type NavigationState = {
  returnTo?: Address;
  sessionLost?: boolean;
  linkFailed?: boolean;
  linkRefused?: boolean;
  /** The email address that was typed on the page before. */
  email?: string;
  /** A key was opened by a step on the page: Back closes it. */
  openedHere?: boolean;
};

const address = watched();
let moved = false;

window.addEventListener("popstate", address.changed);

/** The path of the page to show. An unknown path shows the Public API page. */
function currentPath(): Path {
  const path = window.location.pathname.replace(/\/(index\.html)?$/, "");
  return Object.values(paths).find((known) => known === path) ?? paths.publicApi;
}

export function navigate(to: Address, state: NavigationState = {}, how: "push" | "replace" = "push"): void {
  window.history[how === "push" ? "pushState" : "replaceState"](state, "", to);
  moved = true;
  address.changed();
}

/** Whether another page was shown before this one. */
export const hasMoved = (): boolean => moved;

export function navigationState(): NavigationState {
  return (window.history.state as NavigationState | null) ?? {};
}

export const usePath = (): Path => address.use(currentPath);
