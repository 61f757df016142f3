import { Button } from "@mantine/core";
import { lazy, Suspense, useState } from "react";

// Loaded only when it is wanted.
const SecondFactorDialog = lazy(() => import("./dialog.tsx"));

/** Opens the dialog that sets the second factor up, or removes it. */
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
