import { PasswordInput, Stack, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { checkKey, type KeyCheck, pastedKey } from "../keys/check_key.ts";
import { Name } from "../parts/name.tsx";
import { messageOf } from "../problems.ts";
import { watched } from "../watched.ts";

/** The key that works: entered at one endpoint, it holds for all, and is kept only here until the page is left. */
let working: { key: string; check: KeyCheck } | null = null;
const watch = watched();

function setWorking(key: typeof working): void {
  working = key;
  watch.changed();
}

/** The key that was entered and works, or null. */
export const useWorkingKey = (): typeof working => watch.use(() => working);

/** Keeps password managers away: they would offer, and send, an admin's password as a key. */
const noPassword = {
  autoComplete: "new-password",
  "data-1p-ignore": "true",
  "data-bwignore": "true",
  "data-lpignore": "true",
  "data-form-type": "other",
};

/** Asks for a key, and checks it as soon as it is entered. The field stays, and with it the focus: another key may follow. */
export function KeyField() {
  const check = useWorkingKey()?.check;
  const [problem, setProblem] = useState<string | null>(null);
  /** The key that was entered last: the answer for another one comes too late. */
  const latest = useRef("");

  // The field keeps its text itself: React would copy a value that it controls into the page.
  async function enter(text: string): Promise<void> {
    const key = pastedKey(text);
    latest.current = key;
    setProblem(null);
    setWorking(null);
    if (key === "") return;
    try {
      const check = await checkKey(key);
      if (latest.current === key) setWorking({ key, check });
    } catch (error) {
      if (latest.current === key) setProblem(messageOf(error));
    }
  }

  return (
    <Stack gap={4} align="stretch">
      <PasswordInput
        label="API key"
        size="xs"
        spellCheck={false}
        onChange={(event) => void enter(event.currentTarget.value)}
        error={problem !== null}
        aria-invalid={problem !== null}
        visibilityToggleButtonProps={{ "aria-label": "Show or hide the key" }}
        {...noPassword}
      />
      <Text size="sm" role="status" c={problem === null ? "dimmed" : "var(--mantine-color-error)"}>
        {problem}
        {problem === null && check && (
          <span>
            <Name>{check.key_name}</Name> of <Name>{check.company_name}</Name>: {check.scopes.join(", ")}
          </span>
        )}
        {problem === null && !check && "It is sent to the API only, and forgotten when you leave the page."}
      </Text>
    </Stack>
  );
}
