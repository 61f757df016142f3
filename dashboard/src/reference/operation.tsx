import { Code, Paper, Stack, Tabs, Text, Title } from "@mantine/core";
import { useState } from "react";
import { CopyButton } from "../parts/copy_button.tsx";
import { baseAddress } from "../settings.ts";
import type { Operation } from "./contents.ts";
import { Html } from "./html.tsx";
import classes from "./reference.module.css";
import { type Language, languages } from "./samples.ts";
import { TryOut } from "./try_out.tsx";

/** The address of a request with these parameters. */
function addressOf(path: string, values: Record<string, string>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "")).toString();
  return `${baseAddress}${path === "/" ? "" : path}${query === "" ? "" : `?${query}`}`;
}

/** One endpoint: on one side what it takes and answers, on the other code in four languages, and the way to try it. */
export function OperationSection(props: {
  operation: Operation;
  apiKey: string | null;
  language: Language;
  onLanguage: (language: Language) => void;
}) {
  const { operation, language } = props;
  const { id, method, path, parameters, body, examples } = operation;
  const has = (parameter: string) => parameters.some(({ name }) => name === parameter);
  const [values, setValues] = useState<Record<string, string>>({
    ...(has("limit") && { limit: "5" }),
    // Code that is only tried must not write to the catalogue.
    ...(has("dry_run") && { dry_run: "true" }),
  });
  const url = addressOf(path, values);
  return (
    <Paper component="article" id={id} aria-labelledby={`${id}-name`} className={classes.operation}>
      <div>
        <Title order={3} id={`${id}-name`} ff="monospace" mb="xs">
          {method} {path}
        </Title>
        <Html>{operation.html}</Html>
      </div>
      <Stack gap="md" miw={0}>
        <Tabs value={language} onChange={(chosen) => chosen !== null && props.onLanguage(chosen as Language)}>
          <Tabs.List mb="xs">
            {Object.keys(languages).map((each) => (
              <Tabs.Tab key={each} value={each}>
                {each}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={language}>
            <Sample text={languages[language]({ method, url, body })} />
          </Tabs.Panel>
        </Tabs>
        {method === "GET" ? (
          <TryOut operation={operation} url={url} values={values} onValues={setValues} apiKey={props.apiKey} />
        ) : (
          <Text size="sm" c="dimmed">
            Not to be tried here: it would change a real catalogue. The code only tries it; without dry_run it writes.
          </Text>
        )}
        {examples.map(({ format, text }) => (
          <div key={format}>
            <Text size="sm" fw={600}>
              Example in {format}
            </Text>
            <Sample text={text} />
          </div>
        ))}
      </Stack>
    </Paper>
  );
}

/** Text to copy. What is too wide scrolls, by keyboard too. */
export function Sample({ text }: { text: string }) {
  return (
    <Stack gap="xs">
      <Code block tabIndex={0}>
        {text}
      </Code>
      <CopyButton value={text} label="Copy" />
    </Stack>
  );
}
