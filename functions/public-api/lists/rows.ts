import { badRequest } from "../answers/errors.ts";
import { json, type Outcome } from "../answers/responses.ts";
import { asPage } from "../database/data_api.ts";
import type { Visit } from "../line/visit.ts";
import type { WaitingLine } from "../line/waiting_line.ts";
import { linkToNext, type Parameters, readParameters } from "../request/parameters.ts";
import type { Received } from "../request/route.ts";
import { maxGroups } from "../table/endpoints.ts";
import { isFilter } from "../table/kinds.ts";
import type { Endpoint } from "../table/types.ts";
import { csv } from "./csv.ts";

/** A list, its changes or aggregates: the database's JSON, forwarded unchanged or as CSV (`docs/api.md`, Lists, Questions). */
export async function rows(visit: Visit, line: WaitingLine): Promise<Outcome> {
  const { endpoint, query } = visit;
  let parameters: Parameters;
  try {
    parameters = readParameters(endpoint, query);
  } catch (error) {
    // Only a caller with a valid key learns what is wrong with the request.
    return await line.afterVerifying(visit, () => Promise.reject(error));
  }
  const { args, format } = parameters;
  const rpc = endpoint.kind === "changes" ? "list_changes" : endpoint.operation;
  const page = { rpc, args: () => args, read: asPage, isPage: true, isTotal: isTotal(endpoint, args) };
  const { body, headers, logged } = await line.call(visit, page);
  const more = moreRows(visit, headers, args);
  const name = endpoint.path.slice(1).replaceAll("/", "-");
  const answer = format === "json" ? json(body, more) : csv(body, name, parameters, more);
  return { answer, logged };
}

/** Whether the database may read many more rows than it returns: of a total, all that one of two filters matches, all names but those of a team. */
function isTotal(endpoint: Endpoint, args: Parameters["args"]): boolean {
  const sent = endpoint.parameters.filter(({ name }) => args[name] !== undefined);
  const filters = sent.filter(({ kind, name }) => isFilter(kind) && name !== "name");
  const isAnyTeam = args.name !== undefined && args.team_id === undefined;
  return endpoint.kind === "aggregates" || filters.length > 1 || isAnyTeam;
}

/** The headers about further rows (`docs/api.md`, Lists and Keeping a copy). Throws a 400 ApiError for a total that has too many rows. */
function moreRows({ endpoint, address, query }: Received, headers: Headers, { max_rows }: Parameters["args"]) {
  const [value, next] = [headers.get("X-Has-More"), headers.get("X-Next-Page")];
  if (value === "true" && max_rows === undefined) {
    const words = "use limit, fewer names in by, teams instead of people, a shorter time window, or a filter";
    throw badRequest([`the answer has more than ${maxGroups} rows: ${words}`]);
  }
  if (value === null) throw new Error("the database did not say whether there are more rows");
  const until = headers.get("X-Changes-Until");
  const parameter = endpoint.kind === "changes" ? "after" : "starting_after";
  return {
    "X-Has-More": value,
    ...(value === "true" && next && { Link: linkToNext(address, query, parameter, next) }),
    ...(until && { "X-Changes-Until": until }),
  };
}
