import { Button, Menu } from "@mantine/core";
import { Clock, Ellipsis, Pencil, RefreshCw } from "lucide-react";
import { useRef } from "react";

const items = {
  replace: { words: "Replace", icon: RefreshCw },
  rename: { words: "Rename", icon: Pencil },
  history: { words: "History", icon: Clock },
} as const;

/** What is done to a key less often than revoking it in a hurry. */
export type RareDeed = keyof typeof items;

/**
 * The row's rarer actions, behind a ⋯.
 * @param describedBy the id of the key's name
 */
export function RowMenu(props: {
  deeds: RareDeed[];
  size: "compact-xs" | "compact-sm";
  describedBy: string;
  onDeed: (deed: RareDeed) => void;
}) {
  const opener = useRef<HTMLButtonElement>(null);

  function choose(deed: RareDeed): void {
    // The item is gone in a moment: a dialog that opens now gives the focus back to what stays.
    opener.current?.focus();
    props.onDeed(deed);
  }

  return (
    <Menu
      position="bottom-end"
      // Within the page's landmarks; fixed, so that the table does not cut it off.
      withinPortal={false}
      floatingStrategy="fixed"
      // The focus goes to the first item, and on by Tab as by the arrows.
      withInitialFocusPlaceholder={false}
      menuItemTabIndex={0}
    >
      <Menu.Target>
        <Button ref={opener} variant="default" size={props.size} aria-label="More" aria-describedby={props.describedBy}>
          <Ellipsis aria-hidden size={16} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {props.deeds.map((deed) => {
          const { words, icon: Icon } = items[deed];
          return (
            <Menu.Item key={deed} leftSection={<Icon aria-hidden size={14} />} onClick={() => choose(deed)}>
              {words}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
