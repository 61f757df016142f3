import { Button, Container, Stack, Text } from "@mantine/core";
import { Component, type ReactNode } from "react";
import { Heading } from "./heading.tsx";

/** A page that fails while it is drawn says so and has a way back, in place of nothing at all. React logs the error. */
export class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <Container component="main" size={560} py="clamp(1.5rem, 12vh, 7rem)">
        <Stack gap="lg" align="flex-start" role="alert">
          <Heading>This page has stopped</Heading>
          <Text>
            Load it again. A key that was just shown and not copied is lost: replace it then. If the page stops again,
            switch off what changes it in your browser, such as a translator or an extension.
          </Text>
          <Button variant="filled" onClick={() => window.location.reload()}>
            Load the page again
          </Button>
        </Stack>
      </Container>
    );
  }
}
