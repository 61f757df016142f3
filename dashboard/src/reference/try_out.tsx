import { Button, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useAction } from "../account/use_action.ts";
import { Notice } from "../parts/notice.tsx";
import { Problem, unreachable } from "../problems.ts";
import { deadline } from "../supabase.ts";
import type { Operation, Parameter } from "./contents.ts";
import { Sample } from "./operation.tsx";

type Answer = { status: string; requestId: string | null; hasMore: string | null; text: string };

/** Sends the request with the key, which travels only in a header. Throws a Problem. */
async function send(url: string, apiKey: string): Promise<Answer> {
  try {
    const headers = { "X-API-Key": apiKey };
    const response = await fetch(url, { headers, cache: "no-store", signal: AbortSignal.timeout(deadline) });
    const text = await response.text();
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json") ?? false;
    return {
      status: `${response.status}`,
      requestId: response.headers.get("X-Request-Id"),
      hasMore: response.headers.get("X-Has-More"),
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

  const field = ({ name, values: choices }: Parameter) => {
    const common = {
      label: name,
      size: "xs",
      value: values[name] ?? "",
      onChange: (event: { currentTarget: { value: string } }) =>
        props.onValues({ ...values, [name]: event.currentTarget.value }),
    } as const;
    return choices.length > 0 ? (
      <NativeSelect key={name} data={["", ...choices]} {...common} />
    ) : (
      <TextInput key={name} autoComplete="off" spellCheck={false} {...common} />
    );
  };

  return (
    <details>
      <summary>Try it</summary>
      <form onSubmit={submit} aria-label={`Try ${operation.method} ${operation.path}`}>
        <Stack gap="xs" my="xs" align="stretch">
          {operation.parameters.map(field)}
          <Notice kind="problem">{problem?.message}</Notice>
          <Button type="submit" loading={pending}>
            Send
          </Button>
          <div role="status">
            {answer && (
              <Text size="sm">
                <b>{answer.status}</b> X-Request-Id {answer.requestId}
                {answer.hasMore !== null && `, X-Has-More ${answer.hasMore}`}
              </Text>
            )}
          </div>
          {answer && <Sample text={answer.text} />}
        </Stack>
      </form>
    </details>
  );
}
