import { Anchor } from "@mantine/core";
import type { MouseEvent } from "react";
import type { Path } from "../paths.ts";
import { navigate } from "../router.ts";

/** A link within the dashboard. With a modifier key it opens a new tab, as any link does. */
export function Link({ to, children }: { to: Path; children: string }) {
  function follow(event: MouseEvent): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  }
  return (
    <Anchor href={to} onClick={follow} size="sm" underline="always">
      {children}
    </Anchor>
  );
}
