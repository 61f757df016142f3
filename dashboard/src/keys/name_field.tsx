import { Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";

/**
 * The name of a key: the field `name`. A name that another key has is pointed out, not refused.
 * @param others the names of the other keys that still work
 */
export function NameField(props: {
  description?: string;
  defaultValue?: string;
  error: string | undefined;
  others: string[];
}) {
  const { others, defaultValue = "", ...field } = props;
  const [name, setName] = useState(defaultValue);
  return (
    <Stack gap={4}>
      <TextInput
        label="Name"
        name="name"
        autoComplete="off"
        data-autofocus
        defaultValue={defaultValue}
        onChange={(event) => setName(event.currentTarget.value)}
        {...field}
      />
      <Text size="sm" c="dimmed" role="status">
        {others.includes(name.trim()) && "Another key has this name. Their last four characters will tell them apart."}
      </Text>
    </Stack>
  );
}
