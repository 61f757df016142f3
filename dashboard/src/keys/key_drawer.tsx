import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import type { CSSProperties, ReactNode } from "react";
import type { ApiKey } from "../database.ts";
import { Dialog } from "../parts/dialog.tsx";
import { After, Aside, Hint, Name, ScopeName } from "../parts/name.tsx";
import { Ago, inWords, lastDays, When } from "../parts/when.tsx";
import { changedScopes, scopes } from "../scopes.ts";
import { actionsFor } from "./arrangement.ts";
import { assistantName } from "./assistant.ts";
import { wayOf } from "./client_name.ts";
import { Entries } from "./history.tsx";
import { ActionButton, Concerns, StateOf } from "./key_table.tsx";
import classes from "./keys.module.css";
import { useKey, useKeys } from "./keys_of_page.ts";
import { Handover } from "./ways.tsx";

/**
 * Everything about one key: what it opens, its use, its ending, the keys beside it, its history, and what can be done with it.
 * @param keyId null: closed
 */
export function KeyDrawer({ keyId, onClose }: { keyId: string | null; onClose: () => void }) {
  const { keys } = useKeys();
  const key = keys.find(({ id }) => id === keyId);
  const title = key ? <Name>{key.name}</Name> : "No such key";
  return (
    <Dialog atSide opened={keyId !== null} title={title} onClose={onClose}>
      {key ? (
        <Stack gap="lg">
          <Concerns apiKey={key} />
          <Facts apiKey={key} />
          <Group gap="xs">
            {actionsFor(key, keys)
              .filter((action) => action !== "details")
              .map((action) => (
                <ActionButton key={action} action={action} apiKey={key} />
              ))}
          </Group>
          {key.status === "active" && !key.assistant && <Handover apiKey={key} way={wayOf(key.last_client)} />}
          <Title order={3}>History</Title>
          <Entries key={key.id} keyId={key.id} />
        </Stack>
      ) : (
        <Text>Your company has no key with this id. The address may be of another company's key, or cut short.</Text>
      )}
    </Dialog>
  );
}

function Facts({ apiKey }: { apiKey: ApiKey }) {
  const { successor, predecessor } = useKey(apiKey);
  return (
    <dl className={classes.facts}>
      <Fact name="Key">
        <StateOf apiKey={apiKey} /> <Hint>{apiKey.hint}</Hint>
      </Fact>
      <Fact name="Scopes">
        <Stack component="ul" gap={4} className="bare">
          {scopes
            .filter(({ name }) => apiKey.scopes.includes(name))
            .map(({ name, opens }) => (
              <li key={name}>
                <ScopeName>{name}</ScopeName>
                <Aside>{opens}</Aside>
              </li>
            ))}
        </Stack>
      </Fact>
      <Fact name="Created">
        <When at={apiKey.created_at} /> <After words="for ">{assistantName(apiKey)}</After>
        {apiKey.assistant !== null && ", agreed "}by <Name>{apiKey.created_by}</Name>
      </Fact>
      <Fact name="Expires">{apiKey.expires_at === null ? "never" : <When at={apiKey.expires_at} as="end" />}</Fact>
      <Uses of={apiKey} />
      <Fact name="Replaced by">
        {successor && <Other apiKey={successor} />}
        {successor && changedScopes(apiKey.scopes, successor.scopes)}
      </Fact>
      <Fact name="Replaces">
        {predecessor && <Other apiKey={predecessor} />}
        {predecessor && changedScopes(predecessor.scopes, apiKey.scopes)}
      </Fact>
    </dl>
  );
}

/** What calls a key: the last calls of each kind, and the days. */
export function Uses({ of: apiKey }: { of: ApiKey }) {
  const { forbidden_scope: scope } = apiKey;
  return (
    <>
      <Fact name="Last used">
        {apiKey.last_used_at === null ? "never" : <Call of={apiKey} was="last" at={apiKey.last_used_at} />}
      </Fact>
      <Fact name="Last 30 days">
        <Days of={apiKey} />
      </Fact>
      <Fact name="Last refused">{apiKey.refused_at && <Call of={apiKey} was="refused" at={apiKey.refused_at} />}</Fact>
      <Fact name={scope ? "Refused for a scope" : "Refused import"}>
        {apiKey.forbidden_at && <Call of={apiKey} was="forbidden" at={apiKey.forbidden_at} />}
        <After words=", it needs ">{scope && <ScopeName>{scope}</ScopeName>}</After>
        {apiKey.forbidden_reason && `: ${apiKey.forbidden_reason}`}
      </Fact>
      <Fact name="Last checked">{apiKey.checked_at && <Ago at={apiKey.checked_at} />}</Fact>
    </>
  );
}

/** A name and what is known; nothing if the first of it is not. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (![children].flat()[0]) return null;
  return (
    <>
      <Text inherit component="dt" c="dimmed">
        {name}
      </Text>
      <dd>{children}</dd>
    </>
  );
}

/** When a key was used or refused, for what, and by which program. */
function Call({ of: key, was, at }: { of: ApiKey; was: "last" | "refused" | "forbidden"; at: string }) {
  const { [`${was}_endpoint` as const]: endpoint, [`${was}_client` as const]: client } = key;
  return (
    <>
      <Ago at={at} />
      <After words=", ">{endpoint}</After>
      <After words=", by ">{client}</After>
    </>
  );
}

/**
 * The last 30 days, oldest first, as bars of answers and refusals; and the same in words. At most one call a minute is noted. A day
 * from before there were numbers counts once.
 */
function Days({ of: { used_on, answers, refusals } }: { of: ApiKey }) {
  const days = lastDays(30).map((day, place) => {
    return { day, good: answers[place] || Number(used_on.includes(day)), bad: refusals[place] ?? 0 };
  });
  const most = Math.max(...days.map(({ good, bad }) => good + bad));
  const called = days.filter(({ good, bad }) => good + bad > 0);
  const inAll = ({ good, bad }: { good: number; bad: number }): string =>
    [good > 0 && `${good} answer${good > 1 ? "s" : ""}`, bad > 0 && `${bad} refused`].filter(Boolean).join(", ");
  const sum = (what: "good" | "bad"): number => called.reduce((all, day) => all + day[what], 0);
  const words = `Called on ${called.length} of 30 days`;
  const total = called.length > 0 && `: at least ${inAll({ good: sum("good"), bad: sum("bad") })}`;
  return (
    <>
      <Group
        gap={2}
        wrap="nowrap"
        maw="24rem"
        role="img"
        aria-label={[words, ...called.map((day) => `${inWords.utcDay(day.day)}: ${inAll(day)}`)].join("; ")}
        className={classes.strip}
      >
        {days.map(({ day, good, bad }) => (
          <i key={day} style={{ "--good": good / most || 0, "--bad": bad / most || 0 } as CSSProperties} />
        ))}
      </Group>
      <Aside>
        {words}
        {total} (days in UTC; of each minute one call is counted)
      </Aside>
    </>
  );
}

/** A key that leads to its drawer. */
export function Other({ apiKey }: { apiKey: ApiKey }) {
  const { onAction } = useKeys();
  return (
    <Anchor component="button" type="button" inherit underline="always" onClick={() => onAction("details", apiKey)}>
      <Name>{apiKey.name}</Name> <Hint>{apiKey.hint}</Hint>
    </Anchor>
  );
}
