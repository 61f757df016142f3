import { receiverOf } from "../../../functions/public-api/assistants/programs.ts";
import type { Fetched } from "../database.ts";

/** Whether the code of an assistant went to the address of the program whose name it has: any program may call itself Claude. */
export const isProven = ({ assistant, assistant_address }: Fetched): boolean =>
  assistant_address !== null && receiverOf(assistant_address) === assistant;

/** What tells the assistant that fetched a key: `Claude`, or `a program that calls itself Claude`. Null if an admin made it. */
export const assistantName = (key: Fetched): string | null =>
  key.assistant === null || isProven(key) ? key.assistant : `a program that calls itself ${key.assistant}`;
