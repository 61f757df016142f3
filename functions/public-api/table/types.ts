// The types of the table of endpoints.
import type { ParameterKind } from "./kinds.ts";
import type { Scope } from "./scopes.ts";

export type Parameter = {
  readonly name: string;
  readonly kind: ParameterKind;
  readonly description: string;
  /** Instead of the description, for a model: it sees neither headers nor queries, and some hosts leave out bounds and defaults. */
  readonly forAssistants?: string;
};

export type ColumnType = "uuid" | "text" | "integer" | "number" | "boolean" | "date" | "date-time" | "json";

/**
 * `pattern`, `minimum` and `maximum` are keywords of JSON Schema that narrow the type. No `format`: clients that check
 * `email` refuse addresses such as jörg@büro.example, and those that check strictly do not know `idn-email`.
 */
export type Column = {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable?: true;
  readonly description: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
};

type Common = {
  readonly path: string;
  readonly aliases: readonly string[];
  /** The scope that a key needs; null when any valid key is enough. */
  readonly scope: Scope | null;
  /** The name of the tool, such as `list_members`, of the database function, and in camel case of the operation. */
  readonly operation: string;
  readonly parameters: readonly Parameter[];
  readonly summary: string;
  readonly description: string;
  /** What a model reads of the endpoint (`docs/api.md`, Assistants). It is a tool of assistants if it has this. */
  readonly forAssistants?: string | undefined;
};

/**
 * `rows` names and describes a row. `columns` are in the order of JSON and CSV; new ones may only be appended. `included`
 * are the additional columns that the parameter `include` can request.
 */
type WithRows = Common & {
  readonly method: "GET";
  readonly rows: { readonly name: string; readonly description: string };
  readonly columns: readonly Column[];
  readonly included: readonly Column[];
};

export type ListEndpoint = WithRows & { readonly kind: "list" };

/**
 * Aggregates of the rows of a list: each of its rows is a group of those. `by` is what the parameter `by` may name, each with
 * the columns that it adds, in the order in which it is sent; `columns` come behind them, the same for every `by`.
 */
export type AggregatesEndpoint = WithRows & {
  readonly kind: "aggregates";
  readonly by: readonly { readonly name: string; readonly columns: readonly Column[] }[];
};

/**
 * What has changed in a list (`docs/api.md`, Keeping a copy): `list` names the list for the database. Its rows have the
 * columns of the list, those of `include`, and `cursor` and `deleted`; of a deleted row all but `id` and these are null.
 */
export type ChangesEndpoint = Omit<ListEndpoint, "kind"> & { readonly kind: "changes"; readonly list: string };

/** `GET /`, which checks a key; the import of rewards; `POST /mcp`, the other endpoints as tools of assistants. */
type Other<Kind> = Common & { readonly kind: Kind; readonly method: "GET" | "POST" };

type Others = Other<"key"> | Other<"import"> | Other<"mcp">;

export type Endpoint = ListEndpoint | ChangesEndpoint | AggregatesEndpoint | Others;
