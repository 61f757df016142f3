import { ApiError, notFound } from "../answers/errors.ts";
import { endpoints } from "../table/endpoints.ts";
import type { Endpoint } from "../table/types.ts";

/** A request for an endpoint. */
export type Received = {
  readonly endpoint: Endpoint;
  readonly request: Request;
  /** The whole address that it asks for without the query, and the query as it was sent. */
  readonly address: string;
  readonly query: string;
};

/** The path relative to the base address, and the raw query. `new URL` normalizes paths, and throws on a bad Host. */
export function splitUrl(url: string): { path: string; query: string } {
  const [, pathname = "", query = ""] = /^[^:]+:\/\/[^/?#]*([^?#]*)\??([^#]*)/.exec(url) ?? [];
  return { path: pathname.replace(/^\/public-api(?=\/|$)/, "") || "/", query };
}

/** The endpoints at each path and alias. */
const endpointsAt = new Map<string, Endpoint[]>();
for (const endpoint of endpoints)
  for (const path of [endpoint.path, ...endpoint.aliases])
    endpointsAt.set(path, [...(endpointsAt.get(path) ?? []), endpoint]);

/** Finds the endpoint; for a wrong method any of the path, and the 405. Throws a 404 for an unknown path. */
export function route(path: string, method: string): { endpoint: Endpoint; wrongMethod?: ApiError } {
  const name = path.replace(/([^/])\/$/, "$1");
  const here = endpointsAt.get(name);
  if (!here?.[0]) throw notFound(path);
  const endpoint = here.find((endpoint) => endpoint.method === (method === "HEAD" ? "GET" : method));
  if (endpoint) return { endpoint };
  const methods = here.flatMap((endpoint) => (endpoint.method === "GET" ? ["GET", "HEAD"] : [endpoint.method]));
  const Allow = [...methods, "OPTIONS"].join(", ");
  const words = `Method Not Allowed: ${name} accepts ${Allow}`;
  return { endpoint: here[0], wrongMethod: new ApiError(405, words, { headers: { Allow } }) };
}
