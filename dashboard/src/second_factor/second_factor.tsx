// What the pages show of the second factor. All else of it is loaded only when it is wanted.
import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { Waiting } from "../parts/waiting.tsx";

const Wanted = lazy(() => import("./wanted.tsx"));
const SecondFactorDialog = lazy(() => import("./dialog.tsx"));

/** Asks for the code of the app. `onShown` is called when the session has shown the factor. */
export function SecondFactorWanted({ onShown }: { onShown: () => Promise<void> }) {
  return (
    <Suspense fallback={<Waiting what="Loading the form for your code" />}>
      <Wanted onShown={onShown} />
    </Suspense>
  );
}

/** Opens the dialog that sets the factor up, or removes it. */
export function SecondFactorButton() {
  const [isOpen, setOpen] = useState<boolean | null>(null);
  return (
    <>
      <Button variant="default" size="xs" flex="none" onClick={() => setOpen(true)}>
        Second factor
      </Button>
      {isOpen !== null && (
        <Suspense>
          <SecondFactorDialog opened={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
