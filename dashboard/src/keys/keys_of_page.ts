import { createContext, useContext } from "react";
import type { ApiKey } from "../database.ts";
import type { Concern, KeyAction } from "./arrangement.ts";

type KeysOfPage = {
  keys: ApiKey[];
  concerns: Map<string, Concern[]>;
  /** Changes whenever something was done to a key. */
  revision: string;
  /** What was done last: a dialog that it opened leads back to its button. */
  asked: KeyAction;
  onAction: (action: KeyAction, key: ApiKey) => void;
};

/** The company's keys, and what can be done with one, for all parts of the page. */
export const Keys = createContext<KeysOfPage | null>(null);

export function useKeys(): KeysOfPage {
  const keys = useContext(Keys);
  if (!keys) throw new Error("Only parts of the page with the keys have them");
  return keys;
}

/** What is of concern about a key, the key that replaces it, and the key that it replaces. */
export function useKey({ id, replaced_by }: ApiKey) {
  const { keys, concerns } = useKeys();
  const successor = keys.find((key) => key.id === replaced_by);
  return { concerns: concerns.get(id) ?? [], successor, predecessor: keys.find((key) => key.replaced_by === id) };
}
