import { useSyncExternalStore } from "react";

/** Something outside of React that components follow: `use` reads it, and reads it again after `changed`. */
export function watched() {
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    changed: () => {
      for (const listener of listeners) listener();
    },
    use: <Value>(read: () => Value): Value => useSyncExternalStore(subscribe, read),
  };
}
