import { Anchor, Breadcrumbs, Button, Container, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Mark } from "../parts/mark.tsx";
import { paths } from "../paths.ts";
import classes from "./pages.module.css";

/** A step to the page: words, and the address if it is a page of its own. */
export type Crumb = { words: string; href?: string };

/** The header of a page: where one is, and what stands at its end. It knows nothing of sessions (the reference loads faster). */
export function HeaderBar({ crumbs, children }: { crumbs: Crumb[]; children: ReactNode }) {
  return (
    <header className={classes.header}>
      <Container size={1280} className={classes.bar}>
        <Mark />
        <Group gap="md" wrap="nowrap">
          {children}
        </Group>
      </Container>
      <Container size={1280}>
        <nav aria-label="Breadcrumbs">
          <Breadcrumbs separator="→" separatorMargin="xs" mt="xs" className={classes.crumbs}>
            {crumbs.map(({ words, href }, place) => {
              const isHere = place === crumbs.length - 1;
              if (href !== undefined && !isHere)
                return (
                  <Anchor key={words} size="sm" href={href}>
                    {words}
                  </Anchor>
                );
              return (
                <Text key={words} size="sm" {...(isHere ? { "aria-current": "page" } : { c: "dimmed" })}>
                  {words}
                </Text>
              );
            })}
          </Breadcrumbs>
        </nav>
      </Container>
    </header>
  );
}

export function SignInButton() {
  return (
    <Button component="a" href={paths.signIn} variant="default" size="xs">
      Sign in
    </Button>
  );
}
