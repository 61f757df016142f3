import { Loader, VisuallyHidden } from "@mantine/core";
import classes from "./parts.module.css";

/** Shown while data is loading, but only after a short delay, so that it does not flicker. */
export function Waiting({ what }: { what: string }) {
  return (
    <div role="status" className={classes.waiting}>
      <Loader aria-hidden />
      <VisuallyHidden>{what}</VisuallyHidden>
    </div>
  );
}
