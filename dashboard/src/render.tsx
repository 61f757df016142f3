import { MantineProvider } from "@mantine/core";
import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Boundary } from "./parts/boundary.tsx";
import { theme } from "./theme.ts";

/** Shows a page, or a part of one in its place, in the product's looks. */
export function render(page: ReactNode, place: Element | null = document.getElementById("root")): void {
  if (!place) throw new Error("The page has no #root");
  createRoot(place).render(
    <StrictMode>
      {/* The Content-Security-Policy refuses inline styles: the theme's variables are a file (build/theme_styles.ts). */}
      <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
        <Boundary>{page}</Boundary>
      </MantineProvider>
    </StrictMode>,
  );
}
