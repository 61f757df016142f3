import { Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import { hasMoved } from "../router.ts";

/**
 * A page's name: its h1 and, with the product's, its title. Who came here from another page hears it, because it takes the focus, unless
 * the page begins with a field that does.
 */
export function Heading({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useDocumentTitle(`${children} · Recognition and rewards`);
  useEffect(() => {
    if (hasMoved() && !document.activeElement?.matches("input")) heading.current?.focus();
  }, []);
  return (
    <Title order={1} size="h2" ref={heading} tabIndex={-1}>
      {children}
    </Title>
  );
}
