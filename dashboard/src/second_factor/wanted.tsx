import { lazy, Suspense } from "react";
import { Waiting } from "../parts/waiting.tsx";

// Loaded only when it is wanted.
const WantedForm = lazy(() => import("./wanted_form.tsx"));

/** Asks for the code of the second factor. `onShown` is called when the session has shown it. */
export function SecondFactorWanted({ onShown }: { onShown: () => Promise<void> }) {
  return (
    <Suspense fallback={<Waiting what="Loading the form for your code" />}>
      <WantedForm onShown={onShown} />
    </Suspense>
  );
}
