import { useEffect, useRef, useState } from "react";
import { navigationState } from "../router.ts";
import { type Arrangement, queryOf, readArrangement, withoutKeys } from "./arrangement.ts";

/** What the page shows. The address has it, and the browser's Back leads to what was shown before. */
export function useArrangement() {
  const [arrangement, setArrangement] = useState(() => readArrangement(window.location.search));
  const latest = useRef(arrangement);
  useEffect(() => {
    window.history.replaceState(window.history.state, "", window.location.pathname + queryOf(latest.current));
    const follow = (): void => {
      latest.current = readArrangement(window.location.search);
      setArrangement(latest.current);
    };
    window.addEventListener("popstate", follow);
    return () => window.removeEventListener("popstate", follow);
  }, []);

  /** A step that Back undoes. A search is one step while it is typed; so is the drawer, whatever key it shows. */
  function arrange(change: Partial<Arrangement>, how: "push" | "replace" = "push"): void {
    const before = latest.current;
    const { search } = { ...before, ...change };
    latest.current = { ...before, ...change, search: withoutKeys(search) };
    setArrangement(latest.current);
    const query = queryOf(latest.current);
    if (query === queryOf(before)) return;
    const goesOn = (change.key && before.key) || (change.search && before.search);
    if (goesOn || how === "replace")
      window.history.replaceState(window.history.state, "", window.location.pathname + query);
    else window.history.pushState({ openedHere: Boolean(change.key) }, "", window.location.pathname + query);
  }

  /** Closing the drawer is a step back, if opening it was a step. */
  function closeKey(): void {
    if (navigationState().openedHere) window.history.back();
    else arrange({ key: null }, "replace");
  }
  return { arrangement, arrange, closeKey };
}
