import { Group, Paper, PasswordInput, Text } from "@mantine/core";
import { useRef, useState } from "react";
import { checkKey, type KeyCheck, pastedKey } from "../keys/check_key.ts";
import { Name } from "../parts/name.tsx";
import { revealing } from "../parts/revealing.ts";
import { messageOf } from "../problems.ts";
import classes from "./reference.module.css";

/**
 * The key for trying out, in a bar that stays in sight. It is checked as soon as it is entered, and kept only here until
 * the page is left.
 * @param onKey is called with a key that works, or null
 */
export function KeyBar({ onKey }: { onKey: (key: string | null) => void }) {
  const [checked, setChecked] = useState<KeyCheck | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  /** The key that was entered last: the answer for another one comes too late. */
  const latest = useRef("");

  // The field keeps its text itself: React would copy a value that it controls into the page.
  async function enter(text: string): Promise<void> {
    const key = pastedKey(text);
    latest.current = key;
    setChecked(null);
    setProblem(null);
    onKey(null);
    if (key === "") return;
    try {
      const check = await checkKey(key);
      if (latest.current !== key) return;
      setChecked(check);
      onKey(key);
    } catch (error) {
      if (latest.current === key) setProblem(messageOf(error));
    }
  }

  return (
    <Paper component="section" aria-label="Key for trying out" className={classes.key}>
      <Group gap="xs" align="flex-end">
        <PasswordInput
          label="Key for trying out"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => void enter(event.currentTarget.value)}
          error={problem !== null}
          aria-invalid={problem !== null}
          w="24rem"
          {...revealing("key")}
        />
        <Text size="sm" role="status" c={problem === null ? "dimmed" : "var(--mantine-color-error)"}>
          {problem ??
            (checked ? (
              <>
                <Name>{checked.key_name}</Name> of <Name>{checked.company_name}</Name>: {checked.scopes.join(", ")}
              </>
            ) : (
              "It is sent to the API only, and forgotten when you leave the page."
            ))}
        </Text>
      </Group>
    </Paper>
  );
}
