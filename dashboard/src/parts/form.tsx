import { Stack, TextInput } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { navigationState } from "../router.ts";

/** A form whose fields stand below each other. `onSubmit` gets what was entered; the browser sends and checks nothing more. */
export function Form(props: {
  onSubmit: (entered: FormData, form: HTMLFormElement) => void;
  children: ReactNode;
  gap?: string;
  label?: string;
  noValidate?: boolean;
  onChange?: (event: FormEvent<HTMLFormElement>) => void;
}) {
  const { onSubmit, onChange, children, gap = "md", label, noValidate = false } = props;
  return (
    <form
      aria-label={label}
      noValidate={noValidate}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(new FormData(event.currentTarget), event.currentTarget);
      }}
      onChange={onChange}
    >
      <Stack gap={gap}>{children}</Stack>
    </form>
  );
}

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
