import { Button, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Notice } from "./notice.tsx";

/** What failed, with a way to try again. Without children it takes no place. */
export function Failed(props: { children: ReactNode; pending?: boolean; onTryAgain: () => void }) {
  const { children, pending = false, onTryAgain } = props;
  return (
    <Notice kind="problem">
      {children && (
        <Stack gap="sm" align="flex-start">
          <span>{children}</span>
          <Button loading={pending} onClick={onTryAgain}>
            Try again
          </Button>
        </Stack>
      )}
    </Notice>
  );
}
