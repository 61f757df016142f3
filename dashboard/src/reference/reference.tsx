import { contents } from "virtual:reference";
import { Code, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { CopyButton } from "../parts/copy_button.tsx";
import { baseAddress } from "../settings.ts";
import { Html } from "./html.tsx";
import { KeyBar } from "./key_bar.tsx";
import { OperationSection } from "./operation.tsx";
import type { Language } from "./samples.ts";

/** The API: what holds for all endpoints, then each endpoint with its parameters, answers and samples. */
export function Reference() {
  const [apiKey, setApiKey] = useState<string | null>(null);
  const [language, setLanguage] = useState<Language>("curl");
  return (
    <Stack gap="xl">
      <Stack component="section" aria-label="About" align="flex-start">
        <Title order={1}>API reference</Title>
        <Html>{contents.about}</Html>
        <Text>
          Base address: <Code fz="sm">{baseAddress}</Code>
        </Text>
        <CopyButton value={baseAddress} label="Copy base address" />
      </Stack>
      <KeyBar onKey={setApiKey} />
      {contents.tags.map(({ name, html }) => (
        <Stack component="section" key={name} aria-label={name} gap="lg">
          <div>
            <Title order={2}>{name}</Title>
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
        <Title order={2} id="headers">
          Headers of the answers
        </Title>
        <Html>{contents.headers}</Html>
      </section>
    </Stack>
  );
}
