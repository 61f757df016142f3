import { useState } from "react";
import { Problem } from "../problems.ts";

/** An action that a person starts: `pending` while it runs, and `problem` if it failed. */
export function useAction<Arguments extends unknown[]>(action: (...given: Arguments) => Promise<void>) {
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const run = async (...given: Arguments): Promise<void> => {
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
