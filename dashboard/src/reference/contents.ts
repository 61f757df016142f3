// What the reference's scripts need to know: the pages themselves are HTML already (build/reference_pages.ts).

/** `values`: the values that a parameter may have, if it is one of a few. */
type Parameter = { name: string; values: string[] };

export type Operation = {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  /** An example of the body; null if there is no body. */
  body: unknown;
};

export type Contents = { operations: Operation[] };

/** What the search finds: `where` says in a word what it belongs to, `text` has what is searched and not shown. */
export type Found = { href: string; title: string; where: string; text: string };
