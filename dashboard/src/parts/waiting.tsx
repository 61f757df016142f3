import { Loader, VisuallyHidden } from "@mantine/core";
import classes from "./parts.module.css";

/** Shown while nothing else can be; only after a moment, so that it does not flicker. */
export function Waiting({ what }: { what: string }) {
  return (
    <div role="status" className={classes.waiting}>
      <Loader aria-hidden />
      <VisuallyHidden>{what}</VisuallyHidden>
    </div>
  );
}
