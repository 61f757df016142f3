import { contents } from "virtual:reference";
import { Stack, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import { CopyButton } from "../parts/copy_button.tsx";
import { baseAddress } from "../settings.ts";
import { Fields } from "./fields.tsx";
import { Html } from "./html.tsx";
import { KeyBar } from "./key_bar.tsx";
import { OperationSection } from "./operation.tsx";
import classes from "./reference.module.css";
import type { Language } from "./samples.ts";

/** The API: what holds for all endpoints, then each endpoint with its parameters, answers and samples. */
export function Reference() {
  const [apiKey, setApiKey] = useState<string | null>(null);
  const [language, setLanguage] = useState<Language>("curl");
  // The browser looked for the endpoint of the address before the page was there.
  useEffect(() => {
    document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  }, []);
  return (
    <Stack gap="xl">
      <section aria-label="About" className={classes.text}>
        <h1>API reference</h1>
        <Html>{contents.about}</Html>
        <p>
          Base address: <code>{baseAddress}</code>
        </p>
        <CopyButton value={baseAddress} label="Copy base address" />
      </section>
      <KeyBar onKey={setApiKey} />
      {contents.tags.map(({ name, html }) => (
        <Stack component="section" key={name} aria-label={name} gap="lg">
          <div>
            <Title order={2} size="h3">
              {name}
            </Title>
            <Html>{html}</Html>
          </div>
          {contents.operations
            .filter(({ tag }) => tag === name)
            .map((operation) => (
              <OperationSection
                key={operation.id}
                operation={operation}
                apiKey={apiKey}
                language={language}
                onLanguage={setLanguage}
              />
            ))}
        </Stack>
      ))}
      <section aria-labelledby="headers">
        <Title order={2} size="h3" id="headers">
          Headers of the answers
        </Title>
        <Fields fields={contents.headers} />
      </section>
    </Stack>
  );
}
