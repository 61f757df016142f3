import { Code, Stack, Text } from "@mantine/core";
import { Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { labelOf, scopeNames } from "../scopes.ts";
import type { KeyCheck } from "./check_key.ts";
import { Fact } from "./key_drawer.tsx";
import classes from "./keys.module.css";

/** What the API returned for a key: whose it is and what it opens in two lines, and details on request. */
export function CheckedKey({ checked }: { checked: KeyCheck | null }) {
  return (
    <Notice kind="done" isSought>
      {checked && (
        <>
          <Text fw={600} size="sm">
            <Name>{checked.key_name}</Name> works: it opens data of <Name>{checked.company_name}</Name>.
          </Text>
          <Opens scopes={checked.scopes} />
          <Details checked={checked} />
        </>
      )}
    </Notice>
  );
}

/** `Can read: People, Kudos. Cannot: Rewards, Moods, Import rewards.` */
function Opens({ scopes }: { scopes: string[] }) {
  const words = (some: readonly string[]): string => some.map(labelOf).join(", ");
  const read = scopes.filter((scope) => scope.startsWith("read:"));
  const write = scopes.filter((scope) => !read.includes(scope));
  const lacking = scopeNames.filter((scope) => !scopes.includes(scope));
  return (
    <Text size="sm">
      {read.length > 0 && <span>Can read: {words(read)}. </span>}
      {write.length > 0 && <span>Can write: {words(write)}. </span>}
      {lacking.length > 0 && <span>Cannot: {words(lacking)}.</span>}
    </Text>
  );
}

function Details({ checked }: { checked: KeyCheck }) {
  return (
    <details>
      <Text component="summary" size="sm" w="fit-content">
        Details
      </Text>
      <dl className={classes.facts}>
        <Fact name="Version">{checked.version}</Fact>
        <Fact name="Scopes">
          <span translate="no">{checked.scopes.join(", ")}</span>
        </Fact>
        <Fact name="Endpoints">
          <Stack component="ul" gap={4} className="bare">
            {checked.endpoints.map(({ method, path, scope }) => (
              <li key={`${method} ${path}`}>
                <Code style={{ whiteSpace: "nowrap" }}>
                  {method} {path}
                </Code>
                {scope !== null && !checked.scopes.includes(scope) && (
                  <Text span size="sm" c="dimmed">
                    {" "}
                    no access (needs <bdi translate="no">{scope}</bdi>)
                  </Text>
                )}
              </li>
            ))}
          </Stack>
        </Fact>
      </dl>
    </details>
  );
}
