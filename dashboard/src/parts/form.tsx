import { Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";

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

/** What was entered in a field of a form, without the spaces around it. */
export const entryOf = (entered: FormData, field: string): string => String(entered.get(field) ?? "").trim();
