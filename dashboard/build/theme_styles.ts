import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from "@mantine/core";
import type { Plugin } from "vite";
import { theme } from "../src/theme.ts";

const name = "virtual:theme.css";

/** The styles of the components in use: with those of all components they would be a third of the page's size. */
const styles = `baseline global UnstyledButton VisuallyHidden Paper CloseButton Group Stack Loader
    Overlay ModalBase Input InlineInput Text Title Anchor Alert Button Checkbox Code Container Modal Drawer Popover Menu
    Tooltip ActionIcon Tabs Pagination PasswordInput Skeleton Table`
  .split(/\s+/)
  .map((part) => readFileSync(fileURLToPath(import.meta.resolve(`@mantine/core/styles/${part}.css`)), "utf8"));

/** The variables of colors that no page has. */
const unused = /--mantine-color-(?:pink|grape|violet|blue|cyan|green|lime)-[^;]*;/g;

/**
 * Mantine's styles, and the theme's variables as a file: the Content-Security-Policy refuses Mantine's inline style for
 * them.
 */
export function themeStyles(): Plugin {
  const variables = convertCssVariables(defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme)));
  return {
    name: "theme-styles",
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? [...styles, variables.replaceAll(unused, "")].join("\n") : undefined),
  };
}
