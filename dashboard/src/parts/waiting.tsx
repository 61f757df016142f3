import { Skeleton, Stack, VisuallyHidden } from "@mantine/core";
import classes from "./parts.module.css";

/** Stands where data will be, but only after a short delay, so that it does not flicker. */
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
