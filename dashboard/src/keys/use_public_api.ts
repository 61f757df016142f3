import { useCallback, useEffect, useRef, useState } from "react";
import { useIsHeld } from "../account/session.ts";
import type { ApiKey, Member } from "../database.ts";
import { Problem } from "../problems.ts";
import { auth } from "../supabase.ts";
import { linkMember, listApiKeys } from "./calls.ts";

/** The data that the page shows, all loaded by the same refresh. */
export type Shown = { member: Member; keys: ApiKey[]; hasFactor: boolean };

/** Loads the member first: at the first sign-in this call links the person to it. Before that, the list is empty. */
async function load(): Promise<Shown> {
  const member = await linkMember();
  // An admin whose account has a second factor has shown it (sql/schema/0900_signing_in.sql).
  const level = await auth.mfa.getAuthenticatorAssuranceLevel();
  const keys = member.role === "admin" ? await listApiKeys() : [];
  return { member, keys, hasFactor: level.data?.currentLevel === "aal2" };
}

/**
 * Loads the page's data, and loads it again when the window gets the focus or the network comes back: another admin may
 * have changed something. While the page is held nothing is loaded, and what arrives late is dropped, because it could
 * replace what holds the page; it is loaded when the page is no longer held.
 */
export function usePublicApi() {
  /** null until the first load has succeeded; after a failed refresh, the data from before. */
  const [shown, setShown] = useState<Shown | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const latest = useRef(0);
  const isHeld = useIsHeld();

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
    if (isHeld) return;
    const again = (): void => void refresh();
    again();
    window.addEventListener("focus", again);
    window.addEventListener("online", again);
    return () => {
      latest.current += 1;
      window.removeEventListener("focus", again);
      window.removeEventListener("online", again);
    };
  }, [refresh, isHeld]);

  return { shown, problem, refresh };
}
