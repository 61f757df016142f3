// What the reference's scripts need to know: the pages themselves are HTML already (build/reference_pages.ts).

/** `values`: the values that a parameter may have, if it is one of a few. */
type Parameter = { name: string; values: string[] };

/** `found`: words by which the search finds it. */
export type Operation = {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  /** An example of the body; null if there is no body. */
  body: unknown;
  found: string;
};

type Guide = { title: string; address: string; headings: { text: string; id: string }[] };

export type Contents = { operations: Operation[]; guides: Guide[] };
