import { Container, Paper, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Heading } from "../parts/heading.tsx";
import { Mark } from "../parts/mark.tsx";
import classes from "./pages.module.css";

/** The frame of the pages about the account: one narrow panel, below the header if somebody is signed in. */
export function AccountPage(props: { title: string; header?: ReactNode; children: ReactNode }) {
  const { title, header, children } = props;
  return (
    <>
      {header}
      <Container component="main" size={460} className={classes.account}>
        <Stack gap="lg">
          {!header && <Mark />}
          <Paper className={classes.panel}>
            <Stack gap="lg">
              <Heading>{title}</Heading>
              {children}
            </Stack>
          </Paper>
        </Stack>
      </Container>
    </>
  );
}
