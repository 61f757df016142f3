import { createTheme } from "@mantine/core";

/** With these shades, text on buttons and colored text have a contrast of 4.5 in both color schemes. */
export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: 8,
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  fontFamily: '"Inter Variable", system-ui, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace',
  // What a browser's translator must leave as it is; names have it too (parts/name.tsx).
  components: {
    Code: { defaultProps: { translate: "no" } },
    // One button stands out: it is filled.
    Button: { defaultProps: { variant: "default" } },
    InputWrapper: { defaultProps: { withAsterisk: false } },
    // Its button that shows what is entered has a name, and the keyboard reaches it.
    PasswordInput: {
      defaultProps: {
        visibilityToggleFocusable: true,
        visibilityToggleButtonProps: { "aria-label": "Show or hide the password" },
      },
    },
  },
  headings: {
    fontWeight: "650",
    sizes: {
      h1: { fontSize: "1.625rem" },
      h2: { fontSize: "1.25rem" },
      h3: { fontSize: "1.0625rem" },
      h4: { fontSize: "0.9375rem" },
    },
  },
});
