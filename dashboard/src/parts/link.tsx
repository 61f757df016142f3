import { Anchor } from "@mantine/core";
import type { MouseEvent } from "react";
import type { Path } from "../paths.ts";
import { navigate, navigationState } from "../router.ts";

/**
 * A link within the dashboard. With a modifier key it opens a new tab, as any link does. Where the person goes after signing
 * in stays as it is, and so does the email address that was typed.
 */
export function Link({ to, children }: { to: Path; children: string }) {
  function follow(event: MouseEvent): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const { returnTo } = navigationState();
    const email = document.querySelector<HTMLInputElement>("#root input[name=email]")?.value;
    navigate(to, { ...(returnTo && { returnTo }), ...(email && { email }) });
  }
  return (
    <Anchor href={to} onClick={follow} size="sm" underline="always">
      {children}
    </Anchor>
  );
}
