import { Button, EmptyState, Paper, Table, Text, VisuallyHidden } from "@mantine/core";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import type { ApiKey } from "../database.ts";
import { arranged, everything } from "./arrangement.ts";
import list from "./key_list.module.css";
import { type Deed, KeyRow, type Outcome } from "./key_row.tsx";
import { KeyTools } from "./key_tools.tsx";
import classes from "./keys.module.css";

const columns = ["Name", "Scopes", "Created", "Last used", "Status"] as const;

/** From this many keys on, the list has search tools and compact rows. */
const many = 9;

/** The company's keys, newest first as the database lists them. On a narrow screen each row becomes a card. */
export function KeyList(props: { keys: ApiKey[]; outcome: Outcome | null; onDeed: (deed: Deed, key: ApiKey) => void }) {
  const { keys, outcome, onDeed } = props;
  const [arrangement, setArrangement] = useState(everything);
  const hasTools = keys.length >= many;
  const listed = hasTools ? arranged(keys, arrangement, outcome?.keyId ?? null) : keys;
  return (
    <>
      {hasTools && (
        <KeyTools arrangement={arrangement} onArrange={setArrangement} listed={listed.length} of={keys.length} />
      )}
      {listed.length === 0 ? (
        <Paper className={classes.panel}>
          <Text>No key is like that.</Text>
          <Button mt="sm" variant="default" onClick={() => setArrangement(everything)}>
            Show all keys
          </Button>
        </Paper>
      ) : (
        <Paper className={list.table} data-short={hasTools || undefined}>
          <Table verticalSpacing={hasTools ? 4 : "sm"} horizontalSpacing={hasTools ? "sm" : "md"}>
            <Table.Thead>
              <Table.Tr>
                {columns.map((column) => (
                  <Table.Th key={column}>{column}</Table.Th>
                ))}
                <Table.Th>
                  <VisuallyHidden>Actions</VisuallyHidden>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {listed.map((key) => (
                <KeyRow
                  key={key.id}
                  apiKey={key}
                  successor={keys.find(({ id }) => id === key.replaced_by)}
                  predecessor={keys.find(({ replaced_by }) => replaced_by === key.id)}
                  short={hasTools}
                  columns={columns.length + 1}
                  outcome={outcome?.keyId === key.id ? outcome : null}
                  onDeed={onDeed}
                />
              ))}
            </Table.Tbody>
          </Table>
        </Paper>
      )}
    </>
  );
}

/** Shown when the company has no keys yet. */
export function NoKeys({ onCreate }: { onCreate: () => void }) {
  return (
    <Paper className={classes.panel}>
      <EmptyState
        icon={<KeyRound aria-hidden size={40} />}
        title="No keys yet"
        description="A key lets one other system — a BI tool, a spreadsheet, a script — read your company's data, or import rewards. You choose what it may see, and you can revoke it at any time without touching the others. Make one for each system, named after it."
      >
        <Button mt="md" onClick={onCreate}>
          Create key
        </Button>
      </EmptyState>
    </Paper>
  );
}
