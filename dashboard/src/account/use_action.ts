import { useEffect, useRef, useState } from "react";
import { Problem } from "../problems.ts";

/**
 * An action that a person starts: `pending` while it runs, and `problem` if it failed. A button that waits is disabled
 * and so loses the focus: it gets it back, or the page's heading does when the button is gone.
 */
export function useAction<Arguments extends unknown[]>(action: (...given: Arguments) => Promise<void>) {
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const starter = useRef<Element | null>(null);

  useEffect(() => {
    if (pending || starter.current === null || document.activeElement !== document.body) return;
    const heir = starter.current.isConnected ? starter.current : document.querySelector("h1");
    if (heir instanceof HTMLElement) heir.focus({ preventScroll: true });
  }, [pending]);

  const run = async (...given: Arguments): Promise<void> => {
    starter.current = document.activeElement;
    setPending(true);
    setProblem(null);
    try {
      await action(...given);
    } catch (error) {
      setProblem(error instanceof Problem ? error : new Problem("failed", String(error)));
    } finally {
      setPending(false);
    }
  };
  return { run, pending, problem, forget: () => setProblem(null) };
}

/** An action that the page starts itself, once for each value of `wanted`. A person may try it again. */
export function useLoading(load: () => Promise<void>, wanted = "") {
  const { run, problem } = useAction(load);
  const again = (): void => void run();
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(again, [wanted]);
  return { again, problem };
}
