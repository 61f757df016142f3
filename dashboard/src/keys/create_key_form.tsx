import { Button, Checkbox, Stack, Text } from "@mantine/core";
import { type FormEvent, useRef, useState } from "react";
import { useAction } from "../account/use_action.ts";
import { Actions } from "../parts/actions.tsx";
import { Notice } from "../parts/notice.tsx";
import { messageOf, Problem } from "../problems.ts";
import { defaultScopes, scopes } from "../scopes.ts";
import { createApiKey } from "./calls.ts";
import { ExpiryField } from "./expiry_field.tsx";
import { type Field, type FieldProblems, type KeyRequest, readKeyRequest } from "./key_request.ts";
import classes from "./keys.module.css";
import type { MakingForm } from "./make_key_dialog.tsx";
import { NameField } from "./name_field.tsx";

const fields: readonly Field[] = ["name", "scopes", "expires_at"];

const lostAnswer =
  "No answer came, so the key may have been created without being shown. Look for it in the list: if it is there, revoke it and create another.";

export function CreateKeyForm(props: MakingForm & { names: string[] }) {
  const form = useRef<HTMLFormElement>(null);
  const [atFields, setAtFields] = useState<FieldProblems>({});

  function showAtFields(problems: FieldProblems): void {
    setAtFields(problems);
    const first = fields.find((field) => problems[field] !== undefined);
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
  }

  const { run, pending, problem } = useAction(async ({ name, scopes, expires_at }: KeyRequest) => {
    props.onPending(true);
    try {
      props.onMade(await createApiKey(name, scopes, expires_at));
    } catch (error) {
      props.onPending(false);
      const field = error instanceof Problem ? fields.find((known) => known === error.field) : undefined;
      if (!field) throw error;
      showAtFields({ [field]: messageOf(error) });
    }
  });

  /** Checks a changed field again. A message from the database stays until its field is changed. */
  function forgetMended(event: FormEvent<HTMLFormElement>): void {
    const { name } = event.target as HTMLInputElement;
    const changed = fields.find((field) => field === (name === "expiry" ? "expires_at" : name));
    if (!changed || atFields[changed] === undefined) return;
    setAtFields({ ...atFields, [changed]: readKeyRequest(event.currentTarget).problems[changed] });
  }

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const { request, problems } = readKeyRequest(event.currentTarget);
    showAtFields(problems);
    if (Object.keys(problems).length === 0) void run(request);
  }

  return (
    <form ref={form} onSubmit={submit} onChange={forgetMended} noValidate>
      <Stack gap="lg">
        <NameField
          description="What will use the key, for example “Power BI” or “Payroll import”."
          error={atFields.name}
          others={props.names}
        />
        <ScopesField error={atFields.scopes} />
        <ExpiryField error={atFields.expires_at} />
        <Notice kind="problem">{problem && (problem.kind === "unreachable" ? lostAnswer : problem.message)}</Notice>
        <Actions>
          <Button variant="default" onClick={props.onCancel} disabled={pending}>
            Cancel
          </Button>
          <Button type="submit" loading={pending}>
            Create key
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}

function ScopesField({ error }: { error: string | undefined }) {
  return (
    <Checkbox.Group
      label="Scopes"
      description="What the key opens. Tick only what its user needs."
      defaultValue={[...defaultScopes]}
      error={error}
    >
      <Stack gap="sm" my="xs">
        {scopes.map(({ name, opens }) => (
          <Checkbox
            key={name}
            name="scopes"
            value={name}
            label={
              <>
                <Text span fw={600} translate="no" className={classes.scope}>
                  {name}
                </Text>{" "}
                <Text span size="sm">
                  {opens}
                </Text>
              </>
            }
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
