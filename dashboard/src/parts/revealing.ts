/** Props of Mantine's PasswordInput: its button that shows what is entered has a name, and the keyboard reaches it. */
export const revealing = (what: "password" | "key") => ({
  visibilityToggleFocusable: true,
  visibilityToggleButtonProps: { "aria-label": `Show or hide the ${what}` },
});
