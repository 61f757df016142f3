import { Button, Code, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { ApiKey, ApiKeyEvent } from "../database.ts";
import { localWeekday, When } from "../parts/when.tsx";
import classes from "./keys.module.css";

/** How many entries are shown at first. */
const few = 10;

/**
 * Who created, replaced, renamed and revoked which key, day by day, newest first.
 * @param of the key whose history was requested, or null for all keys; when it is set, the heading takes the focus
 */
export function History(props: {
  events: ApiKeyEvent[];
  keys: ApiKey[];
  of: { keyId: string } | null;
  onAll: () => void;
}) {
  const { events, of } = props;
  const key = props.keys.find(({ id }) => id === of?.keyId);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (of) heading.current?.focus();
  }, [of]);
  return (
    <Stack component="section" aria-labelledby="history" gap="md">
      <Title order={2} size="h4" id="history" ref={heading} tabIndex={-1}>
        History
      </Title>
      {key && (
        <Group gap="sm">
          <Text className={classes.event}>
            Only of <b>{key.name}</b> <Code className={classes.hint}>{key.hint}</Code>
          </Text>
          <Button variant="default" size="compact-sm" onClick={props.onAll}>
            Show all keys
          </Button>
        </Group>
      )}
      <Paper className={classes.panel}>
        {events.length === 0 ? (
          <Text c="dimmed">What is done to keys is recorded here, for good.</Text>
        ) : (
          <Entries events={key ? events.filter((event) => concerns(event, key)) : events} />
        )}
      </Paper>
    </Stack>
  );
}

/** Whether an event belongs to a key. The first event of a key may be the replacement of another one. */
const concerns = ({ key_id, replaced_by }: ApiKeyEvent, { id }: ApiKey): boolean => id === key_id || id === replaced_by;

function Entries({ events }: { events: ApiKeyEvent[] }) {
  const [all, setAll] = useState(false);
  const listed = all ? events : events.slice(0, few);
  const days = Map.groupBy(listed, ({ created_at }) => localWeekday(created_at));
  return (
    <Stack gap="md" align="flex-start">
      <div className={classes.days}>
        {[...days].map(([day, ofDay]) => (
          <div key={day} className={classes.day}>
            <Title order={3} size="sm">
              {day}
            </Title>
            <ol className={classes.events}>
              {ofDay.map((event) => (
                <Entry key={`${event.key_id} ${event.action} ${event.created_at}`} event={event} />
              ))}
            </ol>
          </div>
        ))}
      </div>
      {listed.length < events.length && (
        <Button variant="default" size="xs" onClick={() => setAll(true)}>
          Show all {events.length}
        </Button>
      )}
    </Stack>
  );
}

function Entry({ event }: { event: ApiKeyEvent }) {
  return (
    <li>
      <Text size="sm" c="dimmed" component="div">
        <When at={event.created_at} as="clock" />
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
  );
}
