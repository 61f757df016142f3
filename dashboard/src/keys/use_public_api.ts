import { useCallback, useEffect, useRef, useState } from "react";
import type { ApiKey, ApiKeyEvent, Member } from "../database.ts";
import { Problem } from "../problems.ts";
import { linkMember, listApiKeyEvents, listApiKeys } from "./calls.ts";

/** What the page shows, as it was at one moment. */
export type Shown = { member: Member; keys: ApiKey[]; events: ApiKeyEvent[] };

export type PublicApi = {
  /** null until it has come for the first time; after a failed refresh, what there was before. */
  shown: Shown | null;
  problem: Problem | null;
  refresh: () => Promise<void>;
};

/** The member first: at the first sign-in that call is what links the person, and before it there is nothing to list. */
async function load(): Promise<Shown> {
  const member = await linkMember();
  if (member.role !== "admin") return { member, keys: [], events: [] };
  const [keys, events] = await Promise.all([listApiKeys(), listApiKeyEvents()]);
  return { member, keys, events };
}

/** Loads the page, and loads it again whenever the person returns to it or the connection does: another admin may have changed something. */
export function usePublicApi(): PublicApi {
  const [shown, setShown] = useState<Shown | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const latest = useRef(0);

  const refresh = useCallback(async () => {
    latest.current += 1;
    const turn = latest.current;
    try {
      const loaded = await load();
      // An answer that was overtaken by a later one is out of date.
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
