import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";
import classes from "./parts.module.css";

/** A placeholder for data that is loading. It appears after a short delay, so that it does not flicker. */
export function Waiting({ what }: { what: string }) {
  return (
    <Stack role="status" className={classes.waiting}>
      <VisuallyHidden>{what}</VisuallyHidden>
      {[38, 52, 52, 52].map((height, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change
        <Skeleton key={place} height={height} />
      ))}
    </Stack>
  );
}
