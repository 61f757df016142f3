// The texts of the OpenAPI document that are not in endpoints.ts or reward_rows.ts.

export const introduction = `
Other systems read one company's people, kudos, rewards and anonymous mood data, as JSON or CSV, and import a reward catalogue.

- **Key**: an admin makes it in the dashboard (Integrations, Public API, Create key). It gives access to the data of one company. Send it as \`X-API-Key: sk_live_…\` or \`Authorization: Bearer sk_live_…\`; a tool that only keeps a user name and a password sends it as either (Basic). It is never read from the address.
- **Lists** are newest first. Rows of the same instant are ordered by \`id\`, descending. \`X-Has-More\` says whether there are more rows than \`limit\`; the \`id\` of the last row as \`starting_after\` gets the next page.
- **Checks** are made in this order: path (404), method (405), key (401), scope (403), parameters (400), body (400). A parameter that an endpoint does not list, or that is sent twice, is a 400.
- **Every error** is a JSON object with one text: \`{ "error": "…" }\`; also 404 \`Not Found: /people\` and 405 \`Method Not Allowed: …\` (with \`Allow\`), which belong to no endpoint below.
- **Also**: \`HEAD\` answers as \`GET\` without the body where it gets through (the hosted platform answers 405), \`OPTIONS\` answers the CORS preflight with 204. A trailing slash changes nothing; there are no redirects. The platform may answer 429, 503, 504 or 546 with a body of its own: try again later.
- **Changes**: new fields are only ever appended, and fields, endpoints and optional parameters may be added at any time. Read fields by name, and ignore unknown ones.
`.trim();

export const tags: Record<string, string> = {
  Key: "A key, and what it allows.",
  Members: "People, their roles and teams.",
  Activity: "Kudos with sender, recipient and category.",
  Rewards: "The reward catalogue, and its import.",
  Analytics: "Anonymous mood data: no row names a person.",
};

export const errorWords = {
  400: "A parameter, the body or a row is wrong; nothing was written. The text names each wrong value and what it must be, joined by `; `, at most 20 of them.",
  401: "The key is missing, malformed, unknown, revoked or expired.",
  403: "The key lacks the endpoint's scope.",
  408: "The body was not complete after 10 seconds.",
  410: "The cursor in `after` is no longer known: begin again with `after=start`, with an empty copy.",
  415: "The body is compressed: the header `Content-Encoding` must be left out.",
  429: "Too many requests of the company at the same moment: at most 4, others wait for up to 2 seconds. Nothing was read or written.",
  500: "Something failed on the service's side; the details are in its log, under the request id.",
};

export type ErrorStatus = `${keyof typeof errorWords}`;

/** The texts of the errors that do not depend on the endpoint. */
export const errorTexts: Record<string, string> = {
  408: "Request Timeout",
  410: "Gone: this cursor is no longer known, begin again with after=start",
  415: "Unsupported Media Type: the header Content-Encoding must be left out, send the body as it is",
  429: "Too Many Requests",
  500: "Internal Server Error",
};
