import { Button, Checkbox, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useRef, useState } from "react";
import { useAction } from "../account/use_action.ts";
import { Actions } from "../parts/actions.tsx";
import { Notice } from "../parts/notice.tsx";
import { messageOf, Problem } from "../problems.ts";
import { defaultScopes, type Scope, scopeNames, scopes } from "../scopes.ts";
import { createApiKey } from "./calls.ts";
import { readExpiry } from "./expiry.ts";
import { ExpiryField } from "./expiry_field.tsx";
import classes from "./keys.module.css";
import type { MakingForm } from "./make_key_dialog.tsx";
import { presets } from "./presets.ts";

const fields: readonly Field[] = ["name", "scopes", "expires_at"];

const lostAnswer =
  "No answer came, so the key may have been created without being shown. Look for it in the list: if it is there, revoke it and create another.";

/** @param preset the name of what is chosen at first, from a link; empty: nothing */
export function CreateKeyForm(props: MakingForm & { names: string[]; preset: string }) {
  const form = useRef<HTMLFormElement>(null);
  const [chosen, setChosen] = useState(Object.hasOwn(presets, props.preset) ? props.preset : "");
  const preset = presets[chosen];
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
        <NativeSelect
          label="What it is for"
          description="Fills in the rest, which you can change."
          data={purposes}
          value={chosen}
          onChange={(event) => {
            setChosen(event.currentTarget.value);
            setAtFields({});
          }}
        />
        {/* Another choice fills all fields anew. */}
        <Stack key={chosen} gap="lg">
          <NameField
            description="What will use the key, for example “Power BI” or “Payroll import”."
            defaultValue={preset?.label ?? ""}
            error={atFields.name}
            others={props.names}
          />
          <ScopesField
            offered={preset?.offered ?? scopeNames}
            ticked={preset?.scopes ?? defaultScopes}
            description={preset?.advice ?? "What the key opens. Tick only what its user needs."}
            error={atFields.scopes}
          />
          <ExpiryField
            error={atFields.expires_at}
            {...(preset ? { preset: { expiry: String(preset.days), day: "" } } : {})}
          />
        </Stack>
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

const purposes = [
  { value: "", label: "Something else" },
  ...Object.entries(presets).map(([value, { label }]) => ({ value, label })),
];

function ScopesField(props: {
  offered: readonly Scope[];
  ticked: readonly Scope[];
  description: string;
  error: string | undefined;
}) {
  return (
    <Checkbox.Group label="Scopes" description={props.description} defaultValue={[...props.ticked]} error={props.error}>
      <Stack gap="sm" my="xs">
        {scopes
          .filter(({ name }) => props.offered.includes(name))
          .map(({ name, opens }) => (
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

/** The values of the form for a new key. `expires_at` is ISO 8601, or null for never. */
export type KeyRequest = { name: string; scopes: Scope[]; expires_at: string | null };

export type Field = keyof KeyRequest;
export type FieldProblems = Partial<Record<Field, string | undefined>>;

/** What is wrong with the name of a key; undefined if this check finds nothing. The database checks more. */
export function nameProblem(name: string): string | undefined {
  if (/^[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]*$/u.test(name)) return "Give the key a name.";
  return [...name].length > 100 ? "Use at most 100 characters." : undefined;
}

/** Reads the form. `problems` has a message for each invalid field. The database checks every field again. */
export function readKeyRequest(form: HTMLFormElement): { request: KeyRequest; problems: FieldProblems } {
  const entered = new FormData(form);
  const name = String(entered.get("name")).trim();
  const ticked = new Set(entered.getAll("scopes"));
  const scopes = scopeNames.filter((scope) => ticked.has(scope));
  const expiry = readExpiry(form);

  const problems: FieldProblems = {};
  const atName = nameProblem(name);
  if (atName !== undefined) problems.name = atName;
  if (scopes.length === 0) problems.scopes = "Tick at least one: a key without a scope opens nothing.";
  if (expiry.problem !== undefined) problems.expires_at = expiry.problem;
  return { request: { name, scopes, expires_at: expiry.expires_at }, problems };
}

/**
 * The name of a key: the field `name`. A name that another key has is pointed out, not refused.
 * @param others the names of the other keys that still work
 */
export function NameField(props: {
  description?: string;
  defaultValue?: string;
  error: string | undefined;
  others: string[];
}) {
  const { others, defaultValue = "", ...field } = props;
  const [name, setName] = useState(defaultValue);
  return (
    <Stack gap={4}>
      <TextInput
        label="Name"
        name="name"
        autoComplete="off"
        data-autofocus
        defaultValue={defaultValue}
        onChange={(event) => setName(event.currentTarget.value)}
        {...field}
      />
      <Text size="sm" c="dimmed" role="status">
        {others.includes(name.trim()) && "Another key has this name. Their last four characters will tell them apart."}
      </Text>
    </Stack>
  );
}
