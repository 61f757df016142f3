// What the reference shows. It is made from docs/openapi.json when the dashboard is built (build/reference_contents.ts).
// Descriptions are HTML, made from the document's Markdown.

export type Field = { name: string; type: string; html: string };

/** `values`: the values that a parameter may have, if it is one of a few. */
export type Parameter = Field & { values: string[] };

export type Response = {
  status: string;
  html: string;
  headers: string[];
  examples: { format: string; text: string }[];
};

export type Operation = {
  id: string;
  tag: string;
  method: string;
  path: string;
  aliases: string[];
  summary: string;
  html: string;
  parameters: Parameter[];
  /** The fields of a row of the body, and an example of the body; null if there is no body. */
  body: { fields: Field[]; example: unknown } | null;
  /** The fields of a row of the answer. */
  fields: Field[];
  responses: Response[];
};

export type Guide = { title: string; address: string; headings: { text: string; id: string }[] };

export type Contents = {
  about: string;
  tags: { name: string; html: string }[];
  operations: Operation[];
  headers: Field[];
  guides: Guide[];
};
