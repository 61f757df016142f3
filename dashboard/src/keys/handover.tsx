import { Stack } from "@mantine/core";
import type { NewApiKey } from "../database.ts";
import { CopyButton } from "../parts/copy_button.tsx";
import { Aside } from "../parts/name.tsx";
import { labelOf } from "../scopes.ts";
import { baseAddress } from "../settings.ts";
import { ways } from "./ways.tsx";

/** Copies what a colleague needs beside the key. `way`: how the key gets its first answer (`ways.tsx`), where that is known. */
export function Handover(props: { apiKey: Pick<NewApiKey, "name" | "hint" | "scopes">; way: string | undefined }) {
  const { name, hint, scopes } = props.apiKey;
  const guide = ways[props.way ?? ""]?.guide ?? "recipes";
  const text = `${name} (${hint}): public data API
Base address: ${baseAddress}
It opens: ${scopes.map(labelOf).join(", ")}
First steps: ${window.location.origin}/reference/guides/${guide}/
The key itself comes through the password manager.`;
  return (
    <Stack gap="xs">
      <CopyButton value={text} label="Copy for a colleague" size="xs" />
      <Aside>
        Address, scopes and guide, without the key. Hand over the key itself with the sharing of your password manager.
      </Aside>
    </Stack>
  );
}
