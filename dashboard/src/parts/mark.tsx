import { Group, Text } from "@mantine/core";
import icon from "../icon.svg";

/** The product's icon and name. */
export function Mark() {
  return (
    <Group gap="xs" wrap="nowrap">
      <img src={icon} alt="" width={28} height={28} />
      <Text fw={650}>Recognition and rewards</Text>
    </Group>
  );
}
