import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from "@mantine/core";
import type { Plugin } from "vite";
import { theme } from "../src/theme.ts";

const name = "virtual:theme.css";

/** Puts the theme's variables into a file: the Content-Security-Policy refuses Mantine's inline style for them. */
export function themeStyles(): Plugin {
  return {
    name: "theme-styles",
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) =>
      id === `\0${name}`
        ? convertCssVariables(defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme)))
        : undefined,
  };
}
