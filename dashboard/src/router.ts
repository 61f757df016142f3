import { useSyncExternalStore } from "react";
import { type Path, paths } from "./paths.ts";

/** A path of the dashboard, with or without a query. */
export type Address = Path | `${Path}${string}`;

/** What a page passes to the next one. It is stored in the history entry, so that it survives a reload. */
export type NavigationState = {
  returnTo?: Address;
  sessionLost?: boolean;
  linkFailed?: boolean;
  linkRefused?: boolean;
  /** A key was opened by a step on the page: Back closes it. */
  openedHere?: boolean;
};

const known = new Set<string>(Object.values(paths));
const listeners = new Set<() => void>();
let moved = false;

const changed = (): void => {
  for (const listener of listeners) listener();
};
window.addEventListener("popstate", changed);

function isPath(path: string): path is Path {
  return known.has(path);
}

/** The path of the page to show. An unknown path shows the Public API page. */
function currentPath(): Path {
  const path = window.location.pathname.replace(/\/(index\.html)?$/, "");
  return isPath(path) ? path : paths.publicApi;
}

export function navigate(to: Address, state: NavigationState = {}, how: "push" | "replace" = "push"): void {
  window.history[how === "push" ? "pushState" : "replaceState"](state, "", to);
  moved = true;
  changed();
}

/** Whether another page was shown before this one. */
export const hasMoved = (): boolean => moved;

export function navigationState(): NavigationState {
  return (window.history.state as NavigationState | null) ?? {};
}

export function usePath(): Path {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentPath);
}
