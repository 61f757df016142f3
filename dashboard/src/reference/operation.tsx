import { Paper, Tabs, Text, Title } from "@mantine/core";
import { useState } from "react";
import { CopyButton } from "../parts/copy_button.tsx";
import { baseAddress } from "../settings.ts";
import type { Operation, Response } from "./contents.ts";
import { Fields } from "./fields.tsx";
import { Html } from "./html.tsx";
import classes from "./reference.module.css";
import { type Language, languages } from "./samples.ts";
import { TryOut } from "./try_out.tsx";

/** The address of a request with these parameters. */
function addressOf(path: string, values: Record<string, string>): string {
  const given = Object.entries(values).filter(([, value]) => value !== "");
  const query = new URLSearchParams(given).toString();
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
  const { id, method, path, parameters, body, fields } = operation;
  const isList = parameters.some(({ name }) => name === "limit");
  const [values, setValues] = useState<Record<string, string>>(isList ? { limit: "5" } : {});
  const url = addressOf(path, values);
  return (
    <Paper component="article" id={id} aria-labelledby={`${id}-name`} className={classes.operation}>
      <div>
        <Title order={3} size="h4" id={`${id}-name`}>
          <code>
            {method} {path}
          </code>
        </Title>
        <Text fw={600} mt={4}>
          {operation.summary}
        </Text>
        <Html>{operation.html}</Html>
        {operation.aliases.length > 0 && (
          <Text size="sm">
            Alias: <code>{operation.aliases.join(", ")}</code>, with the same parameters and the same answer.
          </Text>
        )}
        {parameters.length > 0 && <Part title="Parameters" fields={parameters} />}
        {body && <Part title="Fields of a row of the body" fields={body.fields} />}
        <Part title="Fields of the answer" fields={fields} />
        <Title order={4} size="sm" mt="md">
          Answers
        </Title>
        <ul className={classes.responses}>
          {operation.responses.map((response) => (
            <Answer key={response.status} response={response} />
          ))}
        </ul>
      </div>
      <div className={classes.aside}>
        <Tabs value={language} onChange={(chosen) => chosen !== null && props.onLanguage(chosen as Language)}>
          <Tabs.List>
            {Object.keys(languages).map((each) => (
              <Tabs.Tab key={each} value={each}>
                {each}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={language}>
            <Sample text={languages[language]({ method, url, body: body?.example ?? null })} />
          </Tabs.Panel>
        </Tabs>
        {method === "GET" ? (
          <TryOut operation={operation} url={url} values={values} onValues={setValues} apiKey={props.apiKey} />
        ) : (
          <Text size="sm" c="dimmed">
            Not to be tried here: it would change a real catalogue.
          </Text>
        )}
        {operation.responses[0]?.examples.map(({ format, text }) => (
          <div key={format}>
            <Text size="sm" fw={600}>
              Example in {format}
            </Text>
            <Sample text={text} />
          </div>
        ))}
      </div>
    </Paper>
  );
}

function Part({ title, fields }: { title: string; fields: Operation["fields"] }) {
  return (
    <>
      <Title order={4} size="sm" mt="md">
        {title}
      </Title>
      <Fields fields={fields} />
    </>
  );
}

/** Text to copy. What is too wide scrolls, by keyboard too. */
export function Sample({ text }: { text: string }) {
  return (
    <div className={classes.sample}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton value={text} label="Copy" />
    </div>
  );
}

function Answer({ response: { status, html, headers, examples } }: { response: Response }) {
  return (
    <li>
      <b>{status}</b>
      <div>
        <Html>{html}</Html>
        {status !== "200" && <code>{examples[0]?.text}</code>}
        <details>
          <summary>Headers</summary>
          {headers.join(", ")}
        </details>
      </div>
    </li>
  );
}
