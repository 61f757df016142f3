import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { ApiKey } from "../database.ts";
import { Dialog } from "../parts/dialog.tsx";
import { After, Aside, Hint, Name, ScopeName } from "../parts/name.tsx";
import { Ago, inWords, lastDays, When } from "../parts/when.tsx";
import { scopes } from "../scopes.ts";
import type { Concern } from "./arrangement.ts";
import { Entries } from "./history.tsx";
import { actions, actionsFor, Concerns, type KeyAction, StateOf } from "./key_table.tsx";
import classes from "./keys.module.css";

/**
 * Everything about one key: what it opens, its use, its ending, the keys beside it, its history, and what can be done with it.
 * @param keyId null: closed
 * @param onOpen is called with the id of another key
 */
export function KeyDrawer(props: {
  keyId: string | null;
  keys: ApiKey[];
  concerns: Map<string, Concern[]>;
  revision: string;
  onAction: (action: KeyAction, key: ApiKey) => void;
  onOpen: (keyId: string) => void;
  onClose: () => void;
}) {
  const { keyId, keys } = props;
  const key = keys.find(({ id }) => id === keyId);
  return (
    <Dialog
      atSide
      opened={keyId !== null}
      title={key ? <Name>{key.name}</Name> : "No such key"}
      onClose={props.onClose}
    >
      {key ? (
        <Stack gap="lg">
          <Facts apiKey={key} keys={keys} concerns={props.concerns.get(key.id) ?? []} onOpen={props.onOpen} />
          <Group gap="xs">
            {actionsFor(key)
              .filter((action) => action !== "details")
              .map((action) => (
                <Button
                  key={action}
                  variant="default"
                  size="xs"
                  leftSection={actions[action].icon}
                  {...(action === "revoke" ? { c: "var(--mantine-color-error)" } : {})}
                  onClick={() => props.onAction(action, key)}
                >
                  {actions[action].words}
                </Button>
              ))}
          </Group>
          <Title order={3}>History</Title>
          <Entries key={key.id} keyId={key.id} revision={props.revision} />
        </Stack>
      ) : (
        <Text>Your company has no key with this id. The address may be of another company's key, or cut short.</Text>
      )}
    </Dialog>
  );
}

function Facts(props: { apiKey: ApiKey; keys: ApiKey[]; concerns: Concern[]; onOpen: (keyId: string) => void }) {
  const { apiKey, keys, concerns, onOpen } = props;
  const successor = keys.find(({ id }) => id === apiKey.replaced_by);
  const predecessor = keys.find(({ replaced_by }) => replaced_by === apiKey.id);
  return (
    <dl className={classes.facts}>
      <Fact name="Key">
        <StateOf apiKey={apiKey} concerns={concerns} /> <Hint>{apiKey.hint}</Hint>
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
        <When at={apiKey.created_at} /> <After words="for ">{apiKey.assistant}</After>
        {apiKey.assistant !== null && ", agreed "}by <Name>{apiKey.created_by}</Name>
      </Fact>
      <Fact name="Expires">
        {apiKey.expires_at === null ? "never" : <When at={apiKey.expires_at} as="end" />}{" "}
        <Concerns concerns={concerns} about="expiry" />
      </Fact>
      <Fact name="Last used">
        {apiKey.last_used_at === null ? "never" : <Call of={apiKey} was="last" at={apiKey.last_used_at} />}{" "}
        <Concerns concerns={concerns} about="used" />
      </Fact>
      <Fact name="Last 30 days">
        <Days usedOn={apiKey.used_on} />
      </Fact>
      <Fact name="Last refused">{apiKey.refused_at && <Call of={apiKey} was="refused" at={apiKey.refused_at} />}</Fact>
      <Fact name="Refused for a scope">
        {apiKey.forbidden_at && <Call of={apiKey} was="forbidden" at={apiKey.forbidden_at} />}
        {apiKey.forbidden_scope && (
          <span>
            , it needs <ScopeName>{apiKey.forbidden_scope}</ScopeName>
          </span>
        )}
      </Fact>
      <Fact name="Last checked">{apiKey.checked_at && <Ago at={apiKey.checked_at} />}</Fact>
      <Fact name="Replaced by">{successor && <Other apiKey={successor} onOpen={onOpen} />}</Fact>
      <Fact name="Replaces">{predecessor && <Other apiKey={predecessor} onOpen={onOpen} />}</Fact>
    </dl>
  );
}

/** A name and what is known; nothing if nothing is. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (![children].flat().some(Boolean)) return null;
  return (
    <>
      <Text inherit component="dt" c="dimmed">
        {name}
      </Text>
      <dd>{children}</dd>
    </>
  );
}

/** When a key was used, for what, and by which program. */
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

/** The last 30 days, oldest first, with those on which a key was used; and the same in words. */
function Days({ usedOn }: { usedOn: string[] }) {
  const days = lastDays(30);
  const used = days.filter((day) => usedOn.includes(day));
  const words = `Used on ${used.length} of 30 days`;
  return (
    <>
      <div
        role="img"
        aria-label={`${words}${used.map((day) => `, ${inWords.utcDay(day)}`).join("")}`}
        className={classes.strip}
      >
        {days.map((day) => (
          <i key={day} data-used={usedOn.includes(day)} />
        ))}
      </div>
      <Aside>{words} (days in UTC)</Aside>
    </>
  );
}

function Other({ apiKey, onOpen }: { apiKey: ApiKey; onOpen: (keyId: string) => void }) {
  return (
    <Anchor component="button" type="button" inherit underline="always" onClick={() => onOpen(apiKey.id)}>
      <Name>{apiKey.name}</Name> <Hint>{apiKey.hint}</Hint>
    </Anchor>
  );
}
