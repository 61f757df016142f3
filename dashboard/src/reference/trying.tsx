import { Code, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { Operation } from "../../build/reference_contents.ts";
import { useAction } from "../account/use_action.ts";
import { Person } from "../pages/person.tsx";
import { CopyButton } from "../parts/copy_button.tsx";
import { Form, Submit } from "../parts/form.tsx";
import { Notice } from "../parts/notice.tsx";
import { Problem, unreachable } from "../problems.ts";
import { render } from "../render.tsx";
import { baseAddress } from "../settings.ts";
import { deadline } from "../supabase.ts";
import { KeyField, useWorkingKey } from "./key_field.tsx";
import { addressOf, firstValues, languages } from "./samples.ts";

/** What the page has of an endpoint (build/reference_article.tsx). */
type Tried = Pick<Operation, "id" | "method" | "path" | "parameters" | "body">;

/** `said`: status and headers, in a line. */
type Answer = { said: string; text: string };

/** Sends the request with the key, which travels only in a header. Throws a Problem. */
async function send(url: string, apiKey: string): Promise<Answer> {
  try {
    const sent = { "X-API-Key": apiKey };
    const response = await fetch(url, { headers: sent, cache: "no-store", signal: AbortSignal.timeout(deadline) });
    const { status, headers } = response;
    const hasMore = headers.get("X-Has-More");
    const text = await response.text();
    const isJson = headers.get("Content-Type")?.startsWith("application/json");
    return {
      said: `${status} X-Request-Id ${headers.get("X-Request-Id")}${hasMore === null ? "" : `, X-Has-More ${hasMore}`}`,
      text: isJson ? JSON.stringify(JSON.parse(text), null, 2) : text,
    };
  } catch {
    throw unreachable();
  }
}

/** The request of an endpoint with parameters of one's own, and what came of it. The samples above it show the same. */
function TryOut({ operation }: { operation: Tried }) {
  const { id, method, path, parameters, body } = operation;
  const [values, setValues] = useState(() => firstValues(parameters));
  const url = addressOf(baseAddress, path, values);
  const entered = useWorkingKey();
  const [answer, setAnswer] = useState<Answer | null>(null);
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (answer) shown.current?.scrollIntoView({ block: "nearest" });
  }, [answer]);
  const { run, pending, problem } = useAction(async () => {
    setAnswer(null);
    if (entered === null) throw new Problem("refused", "Enter a key that works first.");
    setAnswer(await send(url, entered.key));
  });
  // The samples are HTML that was there before.
  useEffect(() => {
    for (const [language, write] of Object.entries(languages)) {
      const sample = document.querySelector(`#${id} [data-language="${language}"] code`);
      if (sample) sample.textContent = write({ method, url, body });
    }
  }, [id, method, url, body]);

  const field = (name: string) => ({
    label: name,
    labelProps: { translate: "no" as const },
    size: "xs",
    value: values[name] ?? "",
    onChange: (event: { currentTarget: { value: string } }) =>
      setValues({ ...values, [name]: event.currentTarget.value }),
  });

  return (
    <Form gap="xs" onSubmit={() => void run()} aria-label={`Try ${method} ${path}`}>
      <KeyField />
      {parameters.map(({ name, values: choices }) =>
        choices.length > 0 ? (
          <NativeSelect key={name} data={["", ...choices]} {...field(name)} />
        ) : (
          <TextInput key={name} autoComplete="off" spellCheck={false} {...field(name)} />
        ),
      )}
      <Notice kind="problem">{problem?.message}</Notice>
      <Submit pending={pending}>Send</Submit>
      <Stack ref={shown} gap="xs">
        <Text role="status" size="sm">
          {answer?.said}
        </Text>
        {answer && (
          <>
            <Code block tabIndex={0} mah="30rem">
              {answer.text}
            </Code>
            <CopyButton value={answer.text} label="Copy" />
          </>
        )}
      </Stack>
    </Form>
  );
}

/** Makes the form of an endpoint in its place. */
export const showTryOut = (operation: Tried, place: Element): void => render(<TryOut operation={operation} />, place);

/** Shows who is signed in. */
export const showPerson = (place: Element): void => render(<Person member={null} />, place);
