/** A request that must be refused, with the exact answer. It is sent with a valid key unless its headers have one. */
export interface BadRequest {
  method?: string;
  /** Relative to the base address, sent unchanged. */
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array;
  status: number;
  error: string;
}

/** Bad requests, grouped by the statement that they prove. */
export type BadRequests = Record<string, BadRequest[]>;

/** A GET that gets a 400. */
export const get = (path: string, error: string): BadRequest => ({ path, status: 400, error });

/** An import with this body that gets a 400. */
export const post = (body: string | Uint8Array, error: string): BadRequest => ({
  method: "POST",
  path: "/rewards",
  body,
  status: 400,
  error,
});
