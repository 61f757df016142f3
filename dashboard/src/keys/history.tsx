import { Button, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import Download from "lucide-react/icons/download";
import { useRef, useState } from "react";
import { useAction, useLoading } from "../account/use_action.ts";
import type { ApiKeyEvent } from "../database.ts";
import { Failed } from "../parts/failed.tsx";
import { After, Aside, Hint, Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { inWords, When } from "../parts/when.tsx";
import { changedScopes, labelOf } from "../scopes.ts";
import { isProven } from "./assistant.ts";
import { listApiKeyEvents } from "./calls.ts";
import classes from "./keys.module.css";
import { useKeys } from "./keys_of_page.ts";

const pageSize = 25;

/** The history of all keys, below the list. */
export function History() {
  const { run, pending, problem } = useAction(async () => saveHistory(await listApiKeyEvents({})));
  return (
    <Stack component="section" aria-label="History" gap="md">
      <Group justify="space-between">
        <Text c="dimmed">Who created, replaced, renamed and revoked which key.</Text>
        <Button size="xs" leftSection={<Download aria-hidden size={14} />} loading={pending} onClick={() => void run()}>
          Download CSV
        </Button>
      </Group>
      <Notice kind="problem">{problem?.message}</Notice>
      <Paper withBorder p="var(--room)">
        <Entries keyId={null} />
      </Paper>
    </Stack>
  );
}

/**
 * Who created, replaced, renamed and revoked keys, day by day, newest first, page by page. When something was done to
 * a key, the newest page is loaded.
 * @param keyId only of this key and of its replacement of another one, or null for all keys
 */
export function Entries({ keyId }: { keyId: string | null }) {
  const { revision } = useKeys();
  const [page, setPage] = useState({ revision, number: 0 });
  const [events, setEvents] = useState<ApiKeyEvent[] | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const number = page.revision === revision ? page.number : 0;
  const wanted = `${number} ${revision}`;
  const latest = useRef(wanted);
  const { again, problem } = useLoading(async () => {
    latest.current = wanted;
    const part = { key_id: keyId, skip: number * pageSize, max_rows: pageSize + 1 };
    const [answer] = await Promise.allSettled([listApiKeyEvents(part)]);
    // Another page, or what was done meanwhile, has been asked for.
    if (latest.current !== wanted) return;
    if (answer.status === "rejected") throw answer.reason;
    setEvents(answer.value);
  }, wanted);

  function tryAgain(): void {
    // The button goes when it has worked: its place keeps the focus.
    place.current?.focus();
    again();
  }

  return (
    <div ref={place} tabIndex={-1}>
      <Failed onTryAgain={tryAgain}>{problem?.message}</Failed>
      {!problem && !events && <Skeleton height={96} />}
      {!problem && events?.length === 0 && <Text c="dimmed">What is done to keys is recorded here.</Text>}
      {!problem && events && events.length > 0 && (
        <Days
          events={events}
          order={keyId === null ? 2 : 4}
          number={number}
          onTurn={(turned) => setPage({ revision, number: turned })}
        />
      )}
    </div>
  );
}

/** A page of the history, day by day. `events` has one more than is shown if there is an older page. */
function Days(props: { events: ApiKeyEvent[]; order: 2 | 4; number: number; onTurn: (number: number) => void }) {
  const { events, order, number, onTurn } = props;
  const days = Map.groupBy(events.slice(0, pageSize), ({ created_at }) => inWords.weekday(created_at));
  const isLast = events.length <= pageSize;
  return (
    <Stack gap="md">
      {/* In the drawer there is less room than on the page. */}
      <Stack gap="md" style={{ containerType: "inline-size" }}>
        {[...days].map(([day, ofDay]) => (
          <div key={day} className={classes.day}>
            <Title order={order} size="sm">
              {day}
            </Title>
            <Stack component="ol" gap="md" className="bare">
              {ofDay.map((event) => (
                <Entry key={`${event.key_id} ${event.action} ${event.created_at}`} event={event} />
              ))}
            </Stack>
          </div>
        ))}
      </Stack>
      {(number > 0 || !isLast) && (
        <Group component="nav" aria-label="Pages of the history">
          <Turn words="Newer" isOver={number === 0} onTurn={() => onTurn(number - 1)} />
          <Turn words="Older" isOver={isLast} onTurn={() => onTurn(number + 1)} />
        </Group>
      )}
    </Stack>
  );
}

/** A button that turns the page. Where there is none to turn to it keeps the focus, and does nothing. */
function Turn({ words, isOver, onTurn }: { words: string; isOver: boolean; onTurn: () => void }) {
  return (
    <Button size="xs" mod={{ disabled: isOver }} aria-disabled={isOver} onClick={() => isOver || onTurn()}>
      {words}
    </Button>
  );
}

/** Who did what: `Dana Whitlock created Power BI`, or `Claude, agreed by Dana Whitlock`. */
function Deed({ event }: { event: ApiKeyEvent }) {
  const { action, member, key_name, former_name, assistant } = event;
  const who = member === null ? "An operator" : <Name>{member}</Name>;
  const key = <Name strong>{key_name}</Name>;
  if (assistant !== null && action === "created")
    return (
      <>
        {isProven(event) ? key : <>A program that calls itself {key}</>}, agreed by {who}
      </>
    );
  return (
    <>
      {who} {action} {former_name !== null && <Name strong>{former_name}</Name>}
      {former_name !== null && " to "}
      {key}
    </>
  );
}

function Entry({ event }: { event: ApiKeyEvent }) {
  return (
    <li>
      <Aside>
        <When at={event.created_at} as="clock" />
      </Aside>
      <div>
        <Deed event={event} /> <Hint>{event.hint}</Hint>
        {event.new_scopes && changedScopes(event.scopes, event.new_scopes)}
        <Text size="sm">
          <After words="Reason: ">{event.reason}</After>
        </Text>
        <Text size="sm" c="dimmed">
          {(event.new_scopes ?? event.scopes).map(labelOf).join(", ")}
          <After words={event.new_scopes ? "; the old key works until " : ", until "}>
            {event.action !== "revoked" && event.expires_at && <When at={event.expires_at} as="end" />}
          </After>
        </Text>
      </div>
    </li>
  );
}

const columns =
  "created_at action member key_id key_name hint scopes expires_at former_name replaced_by reason assistant".split(" ");

/**
 * Saves the history as a CSV file with these columns, date-times in UTC. Names are escaped, so that a spreadsheet does not
 * read them as formulas, and a byte-order mark tells Excel that it is UTF-8. An empty `member` means an operator.
 */
async function saveHistory(events: ApiKeyEvent[]): Promise<void> {
  const { unparse } = await import("papaparse");
  const rows = events.map((event) => ({ ...event, scopes: event.scopes.join(" ") }));
  const csv = unparse(rows, { columns, escapeFormulae: /^[=+\-@\t\r]/ });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["\ufeff", csv, "\r\n"], { type: "text/csv" }));
  link.download = "api-key-history.csv";
  link.click();
  URL.revokeObjectURL(link.href);
}
