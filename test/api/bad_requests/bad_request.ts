/** A request that must be refused, and exactly how. It is sent with a good key unless its headers say otherwise. */
export interface BadRequest {
  method?: string;
  /** Behind the base address, sent as it is. */
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array;
  status: number;
  error: string;
}

/** Bad requests by the statement that each of them proves. */
export type BadRequests = Record<string, BadRequest[]>;

/** A 400 to a GET. */
export const get = (path: string, error: string): BadRequest => ({ path, status: 400, error });

/** A 400 to an import with this body. */
export const post = (body: string | Uint8Array, error: string): BadRequest => ({
  method: "POST",
  path: "/rewards",
  body,
  status: 400,
  error,
});
