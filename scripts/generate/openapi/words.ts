// The texts of the OpenAPI document that are not in endpoints.ts or reward_rows.ts.

export const introduction = `
Read one company's people, kudos, rewards, and anonymous mood data, as JSON or CSV, and import its reward catalogue.

## Requests and answers

- **Key**: an admin creates a key on the dashboard (**Integrations > Public API > Create key**). A key gives access to the data of one company. Send it as \`X-API-Key: sk_live_…\` or \`Authorization: Bearer sk_live_…\`. If a tool only keeps a user name and a password, enter the key as either of them (Basic). The API reads no key from the address.
- **Lists** are newest first; rows of the same time are sorted by \`id\`, descending. If there are more rows than \`limit\`, \`X-Has-More\` is \`true\`, and \`Link\` has the address of the next page.
- **Checks**: the API checks the path (404), the method (405), the key (401), the scope (403), the parameters (400), and the body (400), in this order. A parameter that the endpoint doesn't list, or that you send twice, gets a 400.
- **Every error** is a JSON object with one text: \`{ "error": "…" }\`. An unknown path gets 404 \`Not Found: /people\`, an unknown method 405 \`Method Not Allowed: …\`, with the header \`Allow\`.
- **Methods**: \`HEAD\` is \`GET\` without the body; on the hosted platform, it gets 405. \`OPTIONS\` answers the CORS preflight with 204. A trailing slash changes nothing. There are no redirects.
- **The platform** may answer 429, 503, 504, or 546, with a body of its own: try again later.
- **New versions** may add fields at the end of a row, endpoints, and optional parameters. So read fields by name, and ignore unknown ones.
`.trim();

export const tags: Record<string, string> = {
  Key: "A key, and what it allows.",
  Members: "People, their roles, and teams.",
  Activity: "Kudos with sender, recipient, and category.",
  Rewards: "The reward catalogue, and its import.",
  Analytics: "Anonymous mood data: no row names a person.",
};

export const errorWords = {
  400: "A parameter, the body, or a row is wrong; nothing was written. The text names up to 20 wrong values and what they must be, separated by `; `.",
  401: "The key is missing, malformed, unknown, revoked, or expired.",
  403: "The key lacks the endpoint's scope.",
  408: "The body was not complete after 10 seconds.",
  410: "The cursor in `after` is no longer known: start again with `after=start` and an empty copy.",
  415: "The body is compressed: remove the header `Content-Encoding`.",
  429: "The company sends too many requests at once: 4 run, and others wait for up to 2 seconds. Nothing was read or written.",
  500: "Something failed on the service's side. The details are in its log, under the request ID.",
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
