import { Checkbox, NativeSelect, Text, TextInput } from "@mantine/core";
import { type Arrangement, orders } from "./arrangement.ts";
import list from "./key_list.module.css";

const choices = Object.entries(orders).map(([value, label]) => ({ value, label }));

/** Tools to find a key among many: search, order, a filter for active keys, and the number of keys listed. */
export function KeyTools(props: {
  arrangement: Arrangement;
  onArrange: (arrangement: Arrangement) => void;
  listed: number;
  of: number;
}) {
  const { arrangement, onArrange, listed, of } = props;
  return (
    <search className={list.tools}>
      <TextInput
        type="search"
        label="Search"
        description="A name, the last four characters, a scope, a person"
        value={arrangement.search}
        onChange={(event) => onArrange({ ...arrangement, search: event.currentTarget.value })}
        className={list.search}
        autoComplete="off"
        spellCheck={false}
      />
      <NativeSelect
        label="Order"
        data={choices}
        value={arrangement.order}
        onChange={(event) => onArrange({ ...arrangement, order: event.currentTarget.value as keyof typeof orders })}
      />
      <Checkbox
        label="Only active"
        checked={arrangement.onlyActive}
        onChange={(event) => onArrange({ ...arrangement, onlyActive: event.currentTarget.checked })}
        className={list.only}
      />
      <Text role="status" size="sm" c="dimmed" className={list.only}>
        {listed === of ? `${of} keys` : `${listed} of ${of} keys`}
      </Text>
    </search>
  );
}
