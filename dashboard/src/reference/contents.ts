// What the reference shows. It is made from docs/openapi.json when the dashboard is built (build/reference_contents.ts).

export type Operation = {
  id: string;
  tag: string;
  method: string;
  path: string;
  /** HTML: what it does, its parameters, fields and answers. */
  html: string;
  /** `values`: the values that a parameter may have, if it is one of a few. */
  parameters: { name: string; values: string[] }[];
  /** An example of the body; null if there is no body. */
  body: unknown;
  /** Examples of the answer, as JSON and CSV. */
  examples: { format: string; text: string }[];
  /** Words by which the search finds it. */
  found: string;
};

type Guide = { title: string; address: string; headings: { text: string; id: string }[] };

/** `about`, the tags' `html` and `headers` are HTML. */
export type Contents = {
  about: string;
  tags: { name: string; html: string }[];
  operations: Operation[];
  headers: string;
  guides: Guide[];
};
