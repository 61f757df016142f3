// The files of the repository, as a reader sees them.
import { readFileSync } from "node:fs";
import { root } from "../../scripts/stack/process.ts";

/** The text of a file. */
export const read = (path: string): string => readFileSync(`${root}/${path}`, "utf8");

/** The code blocks of a page, in order, without the indentation that they have in a list. */
export const codeBlocks = (page: string): { language: string; text: string }[] =>
  [...read(page).matchAll(/^( *)```(\w*)\n(.*?)^ *```$/gms)].map(([, indent = "", language = "", text = ""]) => ({
    ...{ language, text: text.replaceAll(new RegExp(`^${indent}`, "gm"), "") },
  }));
