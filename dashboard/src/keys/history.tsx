import { Button, Code, Paper, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { ApiKeyEvent } from "../database.ts";
import { When } from "../parts/when.tsx";
import classes from "./keys.module.css";

/** How many entries stand there before somebody asks for more. */
const few = 10;

/** Who created, replaced, renamed and revoked which key, newest first. */
export function History({ events }: { events: ApiKeyEvent[] }) {
  const [all, setAll] = useState(false);
  const listed = all ? events : events.slice(0, few);
  return (
    <Stack component="section" aria-labelledby="history" gap="md">
      <Title order={2} size="h4" id="history">
        History
      </Title>
      <Paper className={classes.panel}>
        {events.length === 0 ? (
          <Text c="dimmed">What is done to keys is recorded here, for good.</Text>
        ) : (
          <Stack gap="md" align="flex-start">
            <ol className={classes.events}>
              {listed.map((event) => (
                <li key={`${event.key_id} ${event.action} ${event.created_at}`}>
                  <Text size="sm" c="dimmed" component="div">
                    <When at={event.created_at} />
                  </Text>
                  <div className={classes.event}>
                    {event.member} {event.action}{" "}
                    {event.former_name !== null && (
                      <>
                        <b>{event.former_name}</b> to{" "}
                      </>
                    )}
                    <b>{event.key_name}</b> <Code className={classes.hint}>{event.hint}</Code>
                    <Text size="sm" c="dimmed">
                      {event.scopes.join(", ")}
                      {event.expires_at !== null && (
                        <>
                          , until <When at={event.expires_at} as="end" />
                        </>
                      )}
                    </Text>
                  </div>
                </li>
              ))}
            </ol>
            {listed.length < events.length && (
              <Button variant="default" size="xs" onClick={() => setAll(true)}>
                Show all {events.length}
              </Button>
            )}
          </Stack>
        )}
      </Paper>
    </Stack>
  );
}
