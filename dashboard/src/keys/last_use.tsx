import type { ApiKey } from "../database.ts";
import { When } from "../parts/when.tsx";

/** The end of a sentence about a key: `has never been used` or `was last used on 21 Nov 2026, 10:15`. */
export function LastUse({ apiKey: { last_used_at } }: { apiKey: ApiKey }) {
  if (last_used_at === null) return <>has never been used</>;
  return (
    <>
      was last used on <When at={last_used_at} />
    </>
  );
}
