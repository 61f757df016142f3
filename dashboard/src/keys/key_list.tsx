import { Group, NativeSelect, Pagination, Paper, Tabs, Text, TextInput, VisuallyHidden } from "@mantine/core";
import Search from "lucide-react/icons/search";
import { useEffect, useRef } from "react";
import type { ApiKey } from "../database.ts";
import { type Arrangement, groupsOf, type Order, orders, pageSize, sorted, type View, views } from "./arrangement.ts";
import classes from "./key_list.module.css";
import { KeyTable } from "./key_table.tsx";
import { useKeys } from "./keys_of_page.ts";

const empty: Record<View | "found", string> = {
  active: "No key is active.",
  attention:
    "No keys need attention. Keys appear here if they expire within 14 days, have been unused for 90 days, lack a scope, sent a wrong import, were created by a former admin, or are still called after you replaced them or they stopped working.",
  inactive: "No key is revoked or expired.",
  found: "No keys match.",
};

/**
 * The company's keys: a view of them or what a search finds, page by page.
 * @param news id of the key to which something was just done: it is listed, whatever the view, and takes the focus
 * @param onArrange is called when the person chooses what is listed, and with "replace" when news leads to its page
 */
export function KeyList(props: {
  news: string | null;
  arrangement: Arrangement;
  onArrange: (change: Partial<Arrangement>, how?: "replace") => void;
}) {
  const { news, arrangement } = props;
  const { keys, concerns } = useKeys();
  const top = useRef<HTMLDivElement>(null);
  const groups = groupsOf(keys, concerns, arrangement.search);
  const shown = arrangement.search === "" ? arrangement.view : "found";
  const extra = keys.filter(({ id }) => id === news && !groups[shown].some((key) => key.id === id));
  const listed = sorted([...groups[shown], ...extra], concerns, arrangement);
  const pages = Math.max(1, Math.ceil(listed.length / pageSize));
  const page = Math.min(arrangement.page, pages);

  const choose = (change: Partial<Arrangement>): void => props.onArrange({ page: 1, ...change });

  /** Another page begins at its top. The focus stays on the control, for the next one. */
  function turnTo(chosen: number): void {
    if (chosen === page) return;
    choose({ page: chosen });
    top.current?.scrollIntoView({ block: "start" });
  }

  const place = listed.findIndex(({ id }) => id === news);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each news; then the person may turn the page
  useEffect(() => {
    if (place >= 0) props.onArrange({ page: Math.floor(place / pageSize) + 1 }, "replace");
  }, [news, place >= 0]);

  return (
    <Tabs
      ref={top}
      value={shown}
      onChange={(view) =>
        view !== null && view !== "found" && choose({ view: view as View, search: "", order: null, reversed: false })
      }
      variant="switch"
      className={classes.list}
    >
      <Tools arrangement={arrangement} groups={groups} onChoose={choose} />
      <Tabs.Panel value={shown}>
        {listed.length === 0 ? (
          <Paper withBorder p="var(--room)">
            <Text role="status">{empty[shown]}</Text>
          </Paper>
        ) : (
          <KeyTable
            listed={listed.slice((page - 1) * pageSize, page * pageSize)}
            news={news}
            by={arrangement.order ?? (shown === "attention" ? null : "created")}
            reversed={arrangement.reversed}
            onOrder={choose}
          />
        )}
        {pages > 1 && <Pages total={pages} page={page} onTurn={turnTo} />}
      </Tabs.Panel>
    </Tabs>
  );
}

function Pages({ total, page, onTurn }: { total: number; page: number; onTurn: (page: number) => void }) {
  return (
    <Group component="nav" aria-label="Pages of keys" justify="center" mt="md">
      <Pagination
        size="sm"
        gap={6}
        total={total}
        value={page}
        onChange={onTurn}
        getControlProps={(control) => {
          const leadsOn = control === "next" ? page < total : page > 1;
          // Disabled in looks only: a control that the browser disables would lose the focus.
          return {
            "aria-label": `${control === "next" ? "Next" : "Previous"} page`,
            disabled: false,
            "aria-disabled": !leadsOn,
            mod: { disabled: !leadsOn },
          };
        }}
      />
    </Group>
  );
}

/** Each order from both of its ends, for cards. */
const cardOrders = Object.entries(orders).flatMap(([order, { words, first, last }]) => [
  { value: order, label: `${words}: ${first} first` },
  { value: `${order} reversed`, label: `${words}: ${last} first` },
]);

/** The search, the views with the number of keys in each, and for cards, which have no headings, the order. */
function Tools(props: {
  arrangement: Arrangement;
  groups: Record<View | "found", ApiKey[]>;
  onChoose: (change: Partial<Arrangement>) => void;
}) {
  const { groups, onChoose } = props;
  const { search, view, reversed } = props.arrangement;
  const isUrgent = view === "attention" && search === "";
  const order = props.arrangement.order ?? (isUrgent ? "" : "created");
  return (
    <Group component="search" gap="0.75rem 1rem" mb="sm">
      {/* First: nothing that a search adds moves it. */}
      <TextInput
        type="search"
        aria-label="Search keys"
        placeholder="Name, program, state, person"
        leftSection={<Search aria-hidden size={16} />}
        value={search}
        onChange={(event) => onChoose({ search: event.currentTarget.value })}
        className={classes.search}
        autoComplete="off"
        spellCheck={false}
      />
      <Tabs.List className={classes.views} maw="100%" p={2} aria-label="Views">
        {Object.entries(views).map(([view, words]) => (
          <Tabs.Tab key={view} value={view}>
            {words}{" "}
            <span className={classes.count} data-urgent={view === "attention" && groups.attention.length > 0}>
              {groups[view as View].length}
            </span>
          </Tabs.Tab>
        ))}
        {search !== "" && <Tabs.Tab value="found">Found {groups.found.length}</Tabs.Tab>}
      </Tabs.List>
      <NativeSelect
        aria-label="Order"
        className={classes.order}
        data={isUrgent ? [{ value: "", label: "Most urgent first" }, ...cardOrders] : cardOrders}
        value={reversed ? `${order} reversed` : order}
        onChange={(event) => {
          const [chosen, reversal] = event.currentTarget.value.split(" ");
          onChoose({ order: chosen ? (chosen as Order) : null, reversed: reversal !== undefined });
        }}
      />
      <VisuallyHidden role="status">
        {search !== "" && `${groups.found.length} ${groups.found.length === 1 ? "key" : "keys"} found`}
      </VisuallyHidden>
    </Group>
  );
}
