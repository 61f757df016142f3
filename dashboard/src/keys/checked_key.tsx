import { Text } from "@mantine/core";
import { Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { labelOf, scopeNames } from "../scopes.ts";
import type { KeyCheck } from "./check_key.ts";

/** What the API returned for a key: whose it is and what it opens. */
export function CheckedKey({ checked }: { checked: KeyCheck | null }) {
  return (
    <Notice kind="done" isSought>
      {checked && (
        <>
          <Text fw={600} size="sm">
            <Name>{checked.key_name}</Name> works: it opens data of <Name>{checked.company_name}</Name>.
          </Text>
          <Opens scopes={checked.scopes} />
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
