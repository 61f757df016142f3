import { Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import { hasMoved } from "../router.ts";

/**
 * A page's h1, which is also the document's title, together with the product's name. After a change of page it takes
 * the focus, so that a screen reader reads it out, unless an input of the page has the focus already.
 */
export function Heading({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useDocumentTitle(`${children} · Recognition and rewards`);
  useEffect(() => {
    if (hasMoved() && !document.activeElement?.matches("input")) heading.current?.focus();
  }, []);
  return (
    <Title order={1} ref={heading} tabIndex={-1}>
      {children}
    </Title>
  );
}
