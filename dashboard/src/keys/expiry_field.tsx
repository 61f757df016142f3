import { Anchor, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { inWords } from "../parts/when.tsx";
import { endAfter, endOfDay, isDay, type Lifetime, lifetimes } from "./expiry.ts";

const choices = [
  { value: "", label: "No expiry" },
  ...lifetimes.map((days) => ({ value: String(days), label: `${days} days` })),
  { value: "date", label: "On a date …" },
];

/**
 * Until when a key works: the fields `expiry` and, for a date, `expires_at`, which `readExpiry` reads.
 * @param preset what is chosen at first
 */
export function ExpiryField({ error, preset }: { error: string | undefined; preset: Lifetime }) {
  const isDate = preset.includes("-");
  const [choice, setChoice] = useState(isDate ? "date" : preset);
  const [day, setDay] = useState(isDate ? preset : "");
  const end = choice === "date" ? (isDay(day) ? endOfDay(day) : null) : choice === "" ? null : endAfter(Number(choice));
  return (
    <Stack gap={4} maw="24rem">
      <NativeSelect
        label="Expiry"
        description="The last day on which it works."
        name="expiry"
        data={choices}
        value={choice}
        error={choice !== "date" && error}
        onChange={(event) => setChoice(event.currentTarget.value)}
      />
      {choice === "date" && (
        <TextInput
          label="Last day"
          name="expires_at"
          type="date"
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
          error={error}
          // After Tab has left a date, Mantine's focus trap would move the focus on. No dialog begins or ends with it.
          onKeyDown={(event) => event.key === "Tab" && event.stopPropagation()}
        />
      )}
      <Text size="sm" c="dimmed" role="status">
        {choice === "" && (
          <>
            No expiry: it works until you revoke it.{" "}
            <Anchor component="button" type="button" size="sm" underline="always" onClick={() => setChoice("365")}>
              End it after 365 days
            </Anchor>
          </>
        )}
        {end !== null && error === undefined && `Works until ${inWords.end(end.toISOString())}.`}
      </Text>
    </Stack>
  );
}
