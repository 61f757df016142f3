// The types of the table of endpoints, and the parameters and columns that several endpoints share.
import type { Scope } from "./scopes.ts";

/** The form of a query parameter's value (`docs/api.md`, Lists). `true` means that `true` is the only value allowed. */
export type ParameterKind =
  | "limit"
  | "format"
  | "true"
  | "uuid"
  | "text"
  | "since"
  | "until"
  | "include"
  | "changed_after";
export type Parameter = { readonly name: string; readonly kind: ParameterKind; readonly description: string };

export type ColumnType = "uuid" | "text" | "integer" | "boolean" | "date-time" | "json";

/** `format`, `minimum` and `maximum` are keywords of JSON Schema that narrow the type. */
export type Column = {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable?: true;
  readonly description: string;
  readonly format?: "email";
  readonly minimum?: number;
  readonly maximum?: number;
};

type Common = {
  readonly path: string;
  readonly aliases: readonly string[];
  /** The scope that a key needs; null when any valid key is enough. */
  readonly scope: Scope | null;
  /** The database function that the endpoint calls. */
  readonly rpc: string;
  readonly parameters: readonly Parameter[];
  readonly tag: string;
  readonly operationId: string;
  readonly summary: string;
  /** Begins with what the operation does: an assistant may be shown nothing else. */
  readonly description: string;
};

/** `GET /`: checks a key. */
export type KeyEndpoint = Common & { readonly kind: "key"; readonly method: "GET" };

/**
 * A list. `rows` names and describes a row. `columns` are in the order of JSON and CSV; new ones may only be appended.
 * `included` are the additional columns that the parameter `include` can request.
 */
export type ListEndpoint = Common & {
  readonly kind: "list";
  readonly method: "GET";
  readonly rows: { readonly name: string; readonly description: string };
  readonly columns: readonly Column[];
  readonly included: readonly Column[];
};

/** The import of rewards. The fields of its rows are in reward_rows.ts. */
export type ImportEndpoint = Common & { readonly kind: "import"; readonly method: "POST" };

export type Endpoint = KeyEndpoint | ListEndpoint | ImportEndpoint;

/** The parameters of every list (`docs/api.md`, Lists). */
export const list: readonly Parameter[] = [
  {
    name: "limit",
    kind: "limit",
    description:
      "How many rows at most. There may be more: then the header `X-Has-More` is `true`, and `starting_after` brings the next page. Anything but an integer from 1 to 1000 is a 400; it is never cut down to fit.",
  },
  { name: "format", kind: "format", description: "`csv` returns the same rows as CSV. Errors are JSON all the same." },
  {
    name: "escape_formulas",
    kind: "true",
    description:
      "With `format=csv` only: text that starts with `=`, `+`, `-`, `@`, a tab or a carriage return gets a `'` in front, for files that people open in a spreadsheet.",
  },
  {
    name: "starting_after",
    kind: "uuid",
    description:
      "Only the rows that follow the row with this id, under the same filters: the id of a page's last row brings the next page. It must be the id of a row of this list, but need not meet the filters.",
  },
];

/** The additional parameters of lists with a time window (`docs/api.md`, Lists). */
export const window: readonly Parameter[] = [
  {
    name: "since",
    kind: "since",
    description:
      "Only rows at or after this time. `YYYY-MM-DDThh:mm`, optionally with seconds, up to nine fractional digits, and a zone (`Z`, `±hh`, `±hh:mm` or `±hhmm`); without a zone it is UTC. A bare date is the start of that day in UTC.",
  },
  {
    name: "until",
    kind: "until",
    description:
      "Only rows at or before this time, in the same forms as `since`. A bare date is the end of that day in UTC. `since` after `until` is a 400.",
  },
];

export const teamId: Parameter = {
  name: "team_id",
  kind: "uuid",
  description: "Only this team. An id of another company finds nothing, exactly as one that does not exist.",
};

export const include: Parameter = {
  name: "include",
  kind: "include",
  description: "Further columns, with commas between them: appended after the others, always in the same order.",
};

/** Of the lists that copies can be kept of: those of app.changing_lists (`docs/api.md`, Keeping a copy). */
export const changedAfter: Parameter = {
  name: "changed_after",
  kind: "changed_after",
  description:
    "For keeping a copy: `start` brings every row, then the `cursor` of the last row brings what was added, changed or deleted since, oldest change first. Each row has `cursor` and `deleted` behind its other columns; of a deleted row all but these and `id` are null. Only with `limit`, `format`, `escape_formulas` and `include`.",
};

/** The columns behind all others of a list with `changed_after` (`docs/api.md`, Keeping a copy). */
export const changeColumns: readonly Column[] = [
  {
    name: "cursor",
    type: "text",
    description: "With `changed_after` only: what to send as `changed_after` to get the changes after this one.",
  },
  {
    name: "deleted",
    type: "boolean",
    description:
      "With `changed_after` only: whether the row has been deleted. All its columns but `id`, `cursor` and `deleted` are null then, whatever their types say.",
  },
];

export const id: Column = { name: "id", type: "uuid", description: "The row's own id, for good." };
