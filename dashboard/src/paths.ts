/** The paths of the dashboard. */
export const paths = {
  publicApi: "/integrations/public-api",
  signIn: "/sign-in",
  forgotPassword: "/forgot-password",
  setPassword: "/set-password",
  assistant: "/connect-assistant",
  secondFactor: "/second-factor",
} as const;

export type Path = (typeof paths)[keyof typeof paths];
