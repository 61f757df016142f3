// What the pages, which are HTML already (build/reference_pages.ts), have for their scripts.

export type Operation = {
  id: string;
  method: string;
  path: string;
  /** `values`: those that a parameter may have, if it is one of a few. */
  parameters: { name: string; values: string[] }[];
  /** An example of the body; null if there is no body. */
  body: unknown;
};

/** What the search finds: `where` says in a word what it belongs to, `text` has what is searched and not shown. */
export type Found = { href: string; title: string; where: string; text: string };
