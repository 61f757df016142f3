import { Button, Checkbox, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Actions } from "../parts/actions.tsx";
import { Notice } from "../parts/notice.tsx";
import { messageOf, Problem } from "../problems.ts";
import { defaultScopes, scopes } from "../scopes.ts";
import { createApiKey } from "./calls.ts";
import { ExpiryField } from "./expiry_field.tsx";
import { type Field, type FieldProblems, readKeyRequest } from "./key_request.ts";
import classes from "./keys.module.css";
import type { MakingForm } from "./make_key_dialog.tsx";

const fields: readonly Field[] = ["name", "scopes", "expires_at"];

const lostAnswer =
  "No answer came, so the key may have been created without being shown. Look for it in the list: if it is there, revoke it and create another.";

export function CreateKeyForm(props: MakingForm & { onChanged: () => Promise<void> }) {
  const [pending, setPending] = useState(false);
  const [atFields, setAtFields] = useState<FieldProblems>({});
  const [problem, setProblem] = useState<string | null>(null);

  function showAtFields(form: HTMLFormElement, problems: FieldProblems): void {
    setAtFields(problems);
    const first = fields.find((field) => problems[field] !== undefined);
    if (first) form.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
  }

  /** Checks a changed field again. A message from the database stays until its field is changed. */
  function forgetMended(event: FormEvent<HTMLFormElement>): void {
    const { name } = event.target as HTMLInputElement;
    const changed = fields.find((field) => field === (name === "expiry" ? "expires_at" : name));
    if (!changed || atFields[changed] === undefined) return;
    setAtFields({ ...atFields, [changed]: readKeyRequest(event.currentTarget).problems[changed] });
  }

  function showProblem(form: HTMLFormElement, error: unknown): void {
    const field = error instanceof Problem ? fields.find((known) => known === error.field) : undefined;
    if (field) showAtFields(form, { [field]: messageOf(error) });
    else if (error instanceof Problem && error.kind === "unreachable") setProblem(lostAnswer);
    else setProblem(messageOf(error));
  }

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    const { request, problems } = readKeyRequest(form);
    setProblem(null);
    showAtFields(form, problems);
    if (Object.keys(problems).length > 0) return;

    setPending(true);
    props.onPending(true);
    try {
      props.onCreated(await createApiKey(request.name, request.scopes, request.expires_at));
    } catch (error) {
      setPending(false);
      props.onPending(false);
      showProblem(form, error);
    }
    void props.onChanged();
  }

  return (
    <form onSubmit={(event) => void submit(event)} onChange={forgetMended} noValidate>
      <Stack gap="lg">
        <TextInput
          label="Name"
          name="name"
          description="What will use the key, for example “Power BI” or “Payroll import”."
          autoComplete="off"
          error={atFields.name}
          data-autofocus
        />
        <ScopesField error={atFields.scopes} />
        <ExpiryField error={atFields.expires_at} />
        {problem !== null && <Notice kind="problem">{problem}</Notice>}
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
                <Text span fw={600} className={classes.scope}>
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
