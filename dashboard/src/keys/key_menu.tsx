import { ActionIcon, Menu } from "@mantine/core";
import Ban from "lucide-react/icons/ban";
import Clock from "lucide-react/icons/clock";
import Ellipsis from "lucide-react/icons/ellipsis";
import Pencil from "lucide-react/icons/pencil";
import RefreshCw from "lucide-react/icons/refresh-cw";
import { useRef } from "react";
import type { ApiKey } from "../database.ts";

/** What an admin can do with a key. */
export type KeyAction = "replace" | "rename" | "history" | "revoke";

const items = {
  replace: { words: "Replace", icon: RefreshCw },
  rename: { words: "Rename", icon: Pencil },
  history: { words: "History", icon: Clock },
  revoke: { words: "Revoke", icon: Ban },
} as const;

/** What can be done with a key in its status. */
function actionsFor({ status, replaced_by }: ApiKey): KeyAction[] {
  if (status === "revoked") return ["history"];
  const replaceable = status === "active" && replaced_by === null;
  return [...(replaceable ? (["replace"] as const) : []), "rename", "history", "revoke"];
}

/** The menu behind the ⋯ of a key. */
export function KeyMenu(props: { apiKey: ApiKey; onAction: (action: KeyAction) => void }) {
  const opener = useRef<HTMLButtonElement>(null);
  return (
    // In the main part of the page, where a landmark contains it.
    <Menu
      portalProps={{ target: "main" }}
      position="bottom-end"
      shadow="md"
      width={150}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <ActionIcon ref={opener} variant="default" size={30} aria-label={`Actions for ${props.apiKey.name}`}>
          <Ellipsis aria-hidden size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actionsFor(props.apiKey).map((action) => {
          const { words, icon: Icon } = items[action];
          return (
            <Menu.Item
              key={action}
              leftSection={<Icon aria-hidden size={14} />}
              {...(action === "revoke" ? { color: "var(--mantine-color-error)" } : {})}
              onClick={() => {
                // A dialog gives the focus back to what had it when the dialog opened: the ⋯, not this entry.
                opener.current?.focus();
                props.onAction(action);
              }}
            >
              {words}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
