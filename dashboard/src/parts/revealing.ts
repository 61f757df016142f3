/** Props of Mantine's PasswordInput: its button that shows the password has a name, and the keyboard reaches it. */
export const revealing = {
  visibilityToggleFocusable: true,
  visibilityToggleButtonProps: { "aria-label": "Show or hide the password" },
} as const;
