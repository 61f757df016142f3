import { Button, UnstyledButton } from "@mantine/core";
import { Clock, Ellipsis, Pencil, RefreshCw } from "lucide-react";
import { useId, useRef } from "react";
import list from "./key_list.module.css";

const items = {
  replace: { words: "Replace", icon: RefreshCw },
  rename: { words: "Rename", icon: Pencil },
  history: { words: "History", icon: Clock },
} as const;

/** The actions that are needed less often, or less urgently, than Revoke. */
export type RareDeed = keyof typeof items;

/**
 * The menu behind the ⋯ of a row. It is a popover of the browser: Escape or a click beside it closes it, and the
 * browser gives the focus back.
 * @param describedBy the id of the key's name
 */
export function RowMenu(props: {
  deeds: RareDeed[];
  size: "compact-xs" | "compact-sm";
  describedBy: string;
  onDeed: (deed: RareDeed) => void;
}) {
  const id = useId();
  const menu = useRef<HTMLUListElement>(null);

  function choose(deed: RareDeed): void {
    // Hide the menu first: that gives the focus back to the ⋯, so a dialog can give it back there when it closes.
    menu.current?.hidePopover();
    props.onDeed(deed);
  }

  return (
    <>
      <Button
        variant="default"
        size={props.size}
        aria-label="More"
        aria-describedby={props.describedBy}
        popoverTarget={id}
      >
        <Ellipsis aria-hidden size={16} />
      </Button>
      <ul ref={menu} id={id} popover="auto" aria-label="More" className={list.menu}>
        {props.deeds.map((deed) => {
          const { words, icon: Icon } = items[deed];
          return (
            <li key={deed}>
              <UnstyledButton className={list.item} onClick={() => choose(deed)}>
                <Icon aria-hidden size={14} /> {words}
              </UnstyledButton>
            </li>
          );
        })}
      </ul>
    </>
  );
}
