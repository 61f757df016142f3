import { Badge, Button, Code, EmptyState, Paper, Table, Text, VisuallyHidden } from "@mantine/core";
import { KeyRound } from "lucide-react";
import type { ApiKey } from "../database.ts";
import { When } from "../parts/when.tsx";
import classes from "./keys.module.css";

const columns = ["Name", "Key", "Scopes", "Created", "Last used", "Status"] as const;

/** The company's keys, newest first as the database lists them. On a narrow screen each row becomes a card. */
export function KeyList({ keys, onRevoke }: { keys: ApiKey[]; onRevoke: (key: ApiKey) => void }) {
  if (keys.length === 0) return <NoKeys />;
  return (
    <Paper className={classes.table}>
      <Table verticalSpacing="sm" horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
            <Table.Th>
              <VisuallyHidden>Action</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} onRevoke={onRevoke} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function KeyRow({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: (key: ApiKey) => void }) {
  const nameId = `key-${apiKey.id}`;
  return (
    <Table.Tr className={apiKey.status === "active" ? undefined : classes.ended}>
      <Table.Td data-column="Name" className={classes.name} id={nameId}>
        {apiKey.name}
      </Table.Td>
      <Table.Td data-column="Key">
        <Code className={classes.hint}>{apiKey.hint}</Code>
      </Table.Td>
      <Table.Td data-column="Scopes">
        <ul className={classes.scopes}>
          {apiKey.scopes.map((scope) => (
            <li key={scope}>{scope}</li>
          ))}
        </ul>
      </Table.Td>
      <Table.Td data-column="Created">
        <div>
          <When at={apiKey.created_at} />
          <Text size="sm" c="dimmed">
            by {apiKey.created_by}
          </Text>
        </div>
      </Table.Td>
      <Table.Td data-column="Last used">
        {apiKey.last_used_at === null ? "never" : <When at={apiKey.last_used_at} />}
      </Table.Td>
      <Table.Td data-column="Status">
        <Status apiKey={apiKey} />
      </Table.Td>
      <Table.Td className={classes.action}>
        {apiKey.status !== "revoked" && (
          <Button variant="default" size="xs" aria-describedby={nameId} onClick={() => onRevoke(apiKey)}>
            Revoke
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function Status({ apiKey }: { apiKey: ApiKey }) {
  return (
    <div>
      <Badge className={classes.status} data-status={apiKey.status}>
        {apiKey.status}
      </Badge>
      {apiKey.revoked_at !== null && (
        <Text size="sm" c="dimmed">
          by {apiKey.revoked_by}, <When at={apiKey.revoked_at} />
        </Text>
      )}
      {apiKey.revoked_at === null && apiKey.expires_at !== null && (
        <Text size="sm" c="dimmed">
          {apiKey.status === "expired" ? "since" : "until"} <When at={apiKey.expires_at} />
        </Text>
      )}
    </div>
  );
}

function NoKeys() {
  return (
    <Paper className={classes.panel}>
      <EmptyState
        icon={<KeyRound aria-hidden size={40} />}
        title="No keys yet"
        description="A key lets one other system — a BI tool, a spreadsheet, a script — read your company's data, or import rewards. You choose what it may see, and you can revoke it at any time without touching the others. Make one for each system, named after it."
      />
    </Paper>
  );
}
