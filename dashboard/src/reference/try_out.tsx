import { Button, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useAction } from "../account/use_action.ts";
import { Notice } from "../parts/notice.tsx";
import { Problem, unreachable } from "../problems.ts";
import { deadline } from "../supabase.ts";
import type { Operation } from "./contents.ts";
import { Sample } from "./operation.tsx";

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

/** The request of an endpoint with parameters of one's own, and what came of it. The samples beside it show the same. */
export function TryOut(props: {
  operation: Operation;
  url: string;
  values: Record<string, string>;
  onValues: (values: Record<string, string>) => void;
  apiKey: string | null;
}) {
  const { operation, url, values, apiKey } = props;
  const [answer, setAnswer] = useState<Answer | null>(null);
  const { run, pending, problem } = useAction(async () => {
    setAnswer(null);
    if (apiKey === null) throw new Problem("refused", "Enter a key that works in the bar above.");
    setAnswer(await send(url, apiKey));
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    void run();
  }

  const field = (name: string) => ({
    label: name,
    size: "xs",
    value: values[name] ?? "",
    onChange: (event: { currentTarget: { value: string } }) =>
      props.onValues({ ...values, [name]: event.currentTarget.value }),
  });

  return (
    <details>
      <summary>Try it</summary>
      <form onSubmit={submit} aria-label={`Try ${operation.method} ${operation.path}`}>
        <Stack gap="xs" my="xs" align="stretch">
          {operation.parameters.map(({ name, values: choices }) =>
            choices.length > 0 ? (
              <NativeSelect key={name} data={["", ...choices]} {...field(name)} />
            ) : (
              <TextInput key={name} autoComplete="off" spellCheck={false} {...field(name)} />
            ),
          )}
          <Notice kind="problem">{problem?.message}</Notice>
          <Button type="submit" loading={pending}>
            Send
          </Button>
          <Text role="status" size="sm">
            {answer?.said}
          </Text>
          {answer && <Sample text={answer.text} />}
        </Stack>
      </form>
    </details>
  );
}
