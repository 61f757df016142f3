import { Box, Checkbox, Stack, Text, TextInput, type TextInputProps } from "@mantine/core";
import { type FormEvent, useRef, useState } from "react";
import { useAction } from "../account/use_action.ts";
import { Decision } from "../parts/actions.tsx";
import { entryOf, Form } from "../parts/form.tsx";
import { ScopeName } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { messageOf, Problem } from "../problems.ts";
import { type Scope, scopeNames, scopes } from "../scopes.ts";
import { createApiKey } from "./calls.ts";
import { lifetimeIn, readExpiry } from "./expiry.ts";
import { ExpiryField } from "./expiry_field.tsx";
import classes from "./keys.module.css";
import type { MakingForm } from "./make_key_dialog.tsx";
import { type Preset, plain, purposes } from "./presets.ts";

const fields: readonly Field[] = ["name", "expires_at", "scopes"];

export const noScopes = "Tick at least one: a key without a scope opens nothing.";

const lostAnswer =
  "No answer came, so the key may have been created without being shown. Look for it in the list: if it is there, revoke it and create another.";

/** What the form begins with: the name of a purpose, or the key that is made again, or what was entered before. */
export type Start = { purpose?: string; again?: Preset };

/** By which purpose each field was filled. Another purpose fills in what the person has not edited. */
function useFilling(start: Start) {
  const [purpose, setPurpose] = useState(Object.keys(purposes).find((name) => name === start.purpose) ?? "");
  const first = start.again ? "" : purpose;
  const [filled, setFilled] = useState({ name: first, scopes: first, expires_at: first });
  const edited = useRef(new Set<Field>()).current;
  const presetOf = (field: Field): Preset => purposes[filled[field]] ?? start.again ?? plain;
  /** Returns the fields that were filled anew. */
  function fill(chosen: string): Field[] {
    const anew = fields.filter((field) => !edited.has(field));
    setPurpose(chosen);
    setFilled({ ...filled, ...Object.fromEntries(anew.map((field) => [field, chosen])) });
    return anew;
  }
  return { purpose, filled, edited, presetOf, fill };
}

/**
 * @param onDraft is called with what is entered, so that it can be begun with again
 * @param onConnect leads to where assistants get the address that they sign in at
 */
export function CreateKeyForm(
  props: MakingForm & { names: string[]; start: Start; onDraft: (draft: Start) => void; onConnect: () => void },
) {
  const [start] = useState(props.start);
  const { purpose, filled, edited, presetOf, fill } = useFilling(start);
  const [atFields, setAtFields] = useState<FieldProblems>({});

  function choose(chosen: string): void {
    const anew = fill(chosen);
    setAtFields({ ...atFields, ...Object.fromEntries(anew.map((field) => [field, undefined])) });
  }

  /** Returns whether there are any. The first one gets the focus. */
  function showAtFields(problems: FieldProblems, form: HTMLFormElement): boolean {
    setAtFields(problems);
    const first = fields.find((field) => problems[field] !== undefined);
    form.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
    return first !== undefined;
  }

  const { run, pending, problem } = useAction(async (entered: FormData, form: HTMLFormElement) => {
    props.onDraft(draftOf(purpose, entered));
    const { request, problems } = readKeyRequest(entered);
    if (showAtFields(problems, form)) return;
    try {
      await props.make(createApiKey(request).then((made) => ({ ...made, purpose })));
    } catch (error) {
      const field = error instanceof Problem ? fields.find((known) => known === error.field) : undefined;
      if (!field) throw error;
      showAtFields({ [field]: messageOf(error) }, form);
    }
  });

  /** Checks a changed field again. A message from the database stays until its field is changed. */
  function noteChange(event: FormEvent<HTMLFormElement>): void {
    const entered = new FormData(event.currentTarget);
    props.onDraft(draftOf(purpose, entered));
    const { name } = event.target as HTMLInputElement;
    const changed = fields.find((field) => field === (name === "expiry" ? "expires_at" : name));
    if (!changed) return;
    edited.add(changed);
    if (atFields[changed] !== undefined)
      setAtFields({ ...atFields, [changed]: readKeyRequest(entered).problems[changed] });
  }

  const { offered = scopeNames, advice = "What the key opens. Tick only what its user needs." } =
    purposes[purpose] ?? plain;
  return (
    <Form gap="lg" onSubmit={(entered, form) => void run(entered, form)} onChange={noteChange} noValidate>
      {!start.again && <PurposeCards chosen={purpose} onChoose={choose} onConnect={props.onConnect} />}
      <div className={classes.beside}>
        <NameField
          key={`name ${filled.name}`}
          description="What will use the key: “Payroll import”."
          defaultValue={presetOf("name").name}
          error={atFields.name}
          others={props.names}
        />
        <ExpiryField
          key={`expiry ${filled.expires_at}`}
          error={atFields.expires_at}
          preset={presetOf("expires_at").lifetime}
        />
      </div>
      <ScopesField
        key={`scopes ${filled.scopes}`}
        offered={offered}
        ticked={presetOf("scopes").scopes}
        description={advice}
        error={atFields.scopes}
      />
      <Notice kind="problem">{problem && (problem.kind === "unreachable" ? lostAnswer : problem.message)}</Notice>
      <Decision words="Create key" pending={pending} onCancel={props.onCancel} />
    </Form>
  );
}

/** What the key is for, each with an icon and a line. None is chosen at first. Most assistants need no key: they sign in. */
function PurposeCards(props: { chosen: string; onChoose: (purpose: string) => void; onConnect: () => void }) {
  const { chosen, onChoose, onConnect } = props;
  return (
    <fieldset className={classes.purposes}>
      <Text component="legend" size="sm" fw={500} p={0} mb="0.25rem">
        What it is for
      </Text>
      {Object.entries(purposes).map(([name, { label, about, icon: Icon }], place) => {
        const words = (
          <>
            <Icon aria-hidden size={20} />
            <span>
              <b>{label}</b>
              <small>{about}</small>
            </span>
          </>
        );
        if (name === "assistant" && chosen !== name)
          return (
            <button key={name} type="button" className={`button ${classes.purpose}`} onClick={onConnect}>
              {words}
            </button>
          );
        return (
          <label key={name} className={`button ${classes.purpose}`}>
            <input
              type="radio"
              name="purpose"
              value={name}
              checked={name === chosen}
              onChange={() => onChoose(name)}
              data-autofocus={name === chosen || (chosen === "" && place === 0) || undefined}
            />
            {words}
          </label>
        );
      })}
    </fieldset>
  );
}

/** What a key may do, as boxes to tick: the fields `scopes`. `lacking`: a request was refused without it. */
export function ScopesField(props: {
  label?: string;
  offered: readonly Scope[];
  ticked: readonly Scope[];
  lacking?: Scope | null;
  description: string;
  error: string | undefined;
}) {
  const { offered, ticked, lacking, label = "Scopes", ...field } = props;
  return (
    <Checkbox.Group label={label} defaultValue={[...ticked]} {...field}>
      <Box my="0.5rem" className={classes.beside}>
        {scopes
          .filter(({ name }) => offered.includes(name))
          .map(({ name, opens }) => (
            <Checkbox
              key={name}
              name="scopes"
              value={name}
              label={<ScopeName>{name}</ScopeName>}
              description={name === lacking ? `${opens}. A request was refused without it` : opens}
              className={name === lacking ? classes.lacking : undefined}
            />
          ))}
      </Box>
    </Checkbox.Group>
  );
}

/** The values of the form for a new key. `expires_at` is ISO 8601, or null for never. */
type KeyRequest = { name: string; scopes: Scope[]; expires_at: string | null };

type Field = keyof KeyRequest;
type FieldProblems = Partial<Record<Field, string | undefined>>;

/** What is wrong with the name of a key; undefined if this check finds nothing. The database checks more. */
export function nameProblem(name: string): string | undefined {
  if (/^[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]*$/u.test(name)) return "Give the key a name.";
  return [...name].length > 100 ? "Use at most 100 characters." : undefined;
}

/** Reads the form. `problems` has a message for each invalid field. The database checks every field again. */
function readKeyRequest(entered: FormData): { request: KeyRequest; problems: FieldProblems } {
  const [name, scopes] = [entryOf(entered, "name"), scopesIn(entered)];
  const { expires_at, problem } = readExpiry(entered);
  const atScopes = scopes.length === 0 ? noScopes : undefined;
  return {
    request: { name, scopes, expires_at },
    problems: { name: nameProblem(name), scopes: atScopes, expires_at: problem },
  };
}

/** What is entered, to begin with again. */
function draftOf(purpose: string, entered: FormData): Start {
  const { name, scopes } = readKeyRequest(entered).request;
  return { purpose, again: { name, scopes, lifetime: lifetimeIn(entered) } };
}

/** The scopes that are ticked in a `ScopesField`. */
export const scopesIn = (entered: FormData): Scope[] =>
  scopeNames.filter((scope) => entered.getAll("scopes").includes(scope));

type NameFieldProps = Pick<TextInputProps, "description" | "error"> & { defaultValue?: string; others: string[] };

/**
 * The name of a key: the field `name`. A name that another key has is pointed out, not refused.
 * @param others the names of the other keys that still work
 */
export function NameField({ others, defaultValue = "", ...field }: NameFieldProps) {
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
