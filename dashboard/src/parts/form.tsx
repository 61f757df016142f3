import { Button, Stack, TextInput } from "@mantine/core";
import type { ComponentProps } from "react";
import { navigationState } from "../router.ts";

type FormProps = Omit<ComponentProps<"form">, "onSubmit"> & {
  onSubmit: (entered: FormData, form: HTMLFormElement) => void;
  gap?: string;
};

/** A form with its fields below each other. `onSubmit` gets what was entered; the browser sends and checks no more. */
export function Form({ onSubmit, gap = "md", children, ...form }: FormProps) {
  return (
    <form
      {...form}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(new FormData(event.currentTarget), event.currentTarget);
      }}
    >
      <Stack gap={gap}>{children}</Stack>
    </form>
  );
}

/** The button that sends a form. */
export const Submit = ({ pending, children }: { pending: boolean; children: string }) => (
  <Button type="submit" variant="filled" loading={pending}>
    {children}
  </Button>
);

/** The email address of an account: what was typed on the page before is there. */
export const EmailField = ({ typed }: { typed?: string | undefined }) => (
  <TextInput
    label="Email"
    name="email"
    type="email"
    autoComplete="username"
    defaultValue={typed || navigationState().email}
    required
    autoFocus
  />
);

/** What was entered in a field of a form, without the spaces around it. */
export const entryOf = (entered: FormData, field: string): string => String(entered.get(field) ?? "").trim();
