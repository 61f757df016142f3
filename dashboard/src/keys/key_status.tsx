import { Badge, Code, Text } from "@mantine/core";
import type { ApiKey } from "../database.ts";
import { When } from "../parts/when.tsx";
import { concerns } from "./concerns.ts";
import list from "./key_list.module.css";
import classes from "./keys.module.css";

/** A key's status, since or until when it holds, notes, and the keys that it replaces or is replaced by. */
export function KeyStatus(props: {
  apiKey: ApiKey;
  successor: ApiKey | undefined;
  predecessor: ApiKey | undefined;
  short: boolean;
}) {
  const { apiKey, successor, predecessor, short } = props;
  return (
    <div className={list.state}>
      <Badge className={list.status} data-status={apiKey.status}>
        {apiKey.status}
      </Badge>{" "}
      {concerns(apiKey, successor).map((words) => (
        <Badge key={words} className={list.status} data-status="concern">
          {words}
        </Badge>
      ))}{" "}
      <Text size="sm" c="dimmed" span className={list.by}>
        <Since apiKey={apiKey} short={short} />
      </Text>
      {successor && (
        <Text size="sm" c="dimmed" span className={list.by}>
          replaced by <Code className={classes.hint}>{successor.hint}</Code>
        </Text>
      )}
      {predecessor && (
        <Text size="sm" c="dimmed" span className={list.by}>
          replaces <Code className={classes.hint}>{predecessor.hint}</Code>
        </Text>
      )}
    </div>
  );
}

/** Since when or until when the status holds. */
function Since({ apiKey, short }: { apiKey: ApiKey; short: boolean }) {
  if (apiKey.revoked_at !== null) {
    return (
      <>
        by {apiKey.revoked_by}, <When at={apiKey.revoked_at} as={short ? "day" : "moment"} />
      </>
    );
  }
  if (apiKey.expires_at === null) return "no expiry";
  return (
    <>
      {apiKey.status === "expired" ? "since" : "until"} <When at={apiKey.expires_at} as="end" />
    </>
  );
}
