import { useCallback, useEffect, useRef, useState } from "react";
import type { ApiKey, ApiKeyEvent, Member } from "../database.ts";
import { Problem } from "../problems.ts";
import { linkMember, listApiKeyEvents, listApiKeys } from "./calls.ts";

/** The data that the page shows, all loaded by the same refresh. */
export type Shown = { member: Member; keys: ApiKey[]; events: ApiKeyEvent[] };

export type PublicApi = {
  /** null until the first load has succeeded; after a failed refresh, the data from before. */
  shown: Shown | null;
  problem: Problem | null;
  refresh: () => Promise<void>;
};

/** Loads the member first: at the first sign-in this call links the person to it. Before that, the lists are empty. */
async function load(): Promise<Shown> {
  const member = await linkMember();
  if (member.role !== "admin") return { member, keys: [], events: [] };
  const [keys, events] = await Promise.all([listApiKeys(), listApiKeyEvents()]);
  return { member, keys, events };
}

/**
 * Loads the page's data, and loads it again when the window gets the focus or the network comes back: another admin may
 * have changed something.
 */
export function usePublicApi(): PublicApi {
  const [shown, setShown] = useState<Shown | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const latest = useRef(0);

  const refresh = useCallback(async () => {
    latest.current += 1;
    const turn = latest.current;
    try {
      const loaded = await load();
      // A later refresh has begun, so this result may be out of date.
      if (turn !== latest.current) return;
      setShown(loaded);
      setProblem(null);
    } catch (error) {
      if (turn === latest.current) setProblem(error instanceof Problem ? error : new Problem("failed", String(error)));
    }
  }, []);

  useEffect(() => {
    const again = (): void => void refresh();
    again();
    window.addEventListener("focus", again);
    window.addEventListener("online", again);
    return () => {
      window.removeEventListener("focus", again);
      window.removeEventListener("online", again);
    };
  }, [refresh]);

  return { shown, problem, refresh };
}
