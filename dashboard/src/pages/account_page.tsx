import { Container, Paper, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { Heading } from "../parts/heading.tsx";
import { Mark } from "../parts/mark.tsx";

/** The frame of the pages about the account: one narrow panel, below the header if somebody is signed in. */
export function AccountPage(props: { title: string; header?: ReactNode; children: ReactNode }) {
  const { title, header, children } = props;
  return (
    <>
      {header}
      <Container component="main" size={460} py="clamp(1.5rem, 12vh, 7rem)">
        <Stack gap="lg">
          {!header && <Mark />}
          <Paper withBorder p="clamp(1.25rem, 4vw, 2rem)">
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
