// Protections of the Edge Function and of the command line, each removed by replacing one text. The tests of test/function
// must notice the former. How requests take turns is said, line by line, in test/function/waiting_line.test.ts.

/** The file of a protection, its text, and the text that replaces it. */
export type TextMutant = { name: string; file: string; from: string; to: string };

/** For each file: what is removed, the text that is replaced, and by what, unless by nothing. */
type InFile = Record<string, [name: string, from: string, to?: string][]>;

const mutantsIn = (folder: string, inFile: InFile): TextMutant[] =>
  Object.entries(inFile).flatMap(([file, mutants]) =>
    mutants.map(([name, from, to = ""]) => ({ name, file: `${folder}/${file}`, from, to })),
  );

export const functionMutants = mutantsIn("functions/public-api", {
  "request/key.ts": [
    ["the checksum of a key is not looked at", " && text.endsWith(checksum(text.slice(0, -6)))"],
    ["a key may be longer", "{38}$/", "{38}/"],
    ["Authorization counts before X-API-Key", "if (apiKey) return [apiKey];"],
    ["any scheme is a bearer", 'scheme.toLowerCase() === "bearer"', "true"],
    ["the key itself goes to the database", "return hashOf(key);", "return key;"],
  ],
  "app.ts": [
    ["any query of /mcp is taken", "readParameters(endpoint, query);\n    return", "return"],
    ["the log has the address", "method, path, status: answer", "method, path: request.url, status: answer"],
    ["the request id is the caller's", "crypto.randomUUID()", 'request.headers.get("X-Request-Id") ?? ""'],
    ["a handler throws", "respond(path, sent).catch(failed)", "respond(path, sent)"],
    ["GET / answers whatever the database says", "} = readVerifiedKey(verified)", "} = JSON.parse(verified)"],
  ],
  "assistants/mcp.ts": [
    ["the library gets the key", "/^(content-type|mcp-.*)$/.test(name)", "true"],
    ["subscriptions open", "maxSubscriptions: 0", "maxSubscriptions: 1"],
  ],
  "assistants/sign_in.ts": [
    [
      "strangers fill the memory",
      "line.bodies.hold(wait, request, bodyLimits.signIn, async (take) => take())",
      "request.text()",
    ],
    ["a resource that only begins as ours is taken", '"") !== mcpUrl', '"").startsWith(mcpUrl) === false'],
  ],
  "request/caller.ts": [
    ["a User-Agent is read to its end", ".slice(0, 500)"],
    ["a program's name has any length", "program.slice(0, 60)", "program"],
  ],
  "database/data_api.ts": [
    ["there is no deadline", 'abort.abort(new DOMException("too late", "TimeoutError"))', "{}"],
    ["redirects are followed", 'redirect: "manual",'],
    ["HTML is passed on", "response.status === 200 && isJson", "response.status === 200"],
    ["a new secret key is sent as a token", '!secretKey.startsWith("sb_secret_") && '],
    ["the log has the network's messages", "? error.name : typeof", "? String(error.stack) + supabaseUrl : typeof"],
    ["a closed connection is a failure", "return fetch(url, call);", "throw error;"],
    ["an import that may have arrived is sent again", " || sentOnce.includes(rpc)"],
  ],
  "database/refusals.ts": [
    ["every 4xx from behind is the caller's", "isOurs && response.status", "response.status"],
    ["an answer of a gateway is final", "return !sentOnce.includes(rpc);", "return false;"],
    ["an import that may have been made is made again", "return !sentOnce.includes(rpc);", "return true;"],
    ["that no connection is free is final", 'code === "PGRST003"', "false"],
    ["whose the refused request was is not logged", 'by the database", owner)', 'by the database", {})'],
    ["megabytes of an error body are read", "response.body, 4096", "response.body, 4 * 1024 * 1024"],
    ["a database that is away is not called again", "isAway(rpc, response.status, code) ? new Busy(error) :"],
  ],
  "settings.ts": [
    ["a setting that no header may have is shown", " || !/^[!-~]+$/.test(secretKey)"],
    ["a setting that is wrong is shown", ".test(url)) throw new Error(wrong)", ".test(url)) throw new Error(url)"],
    ["a secret that is no JSON is shown", "Object(jsonIn(json))", "JSON.parse(json)"],
  ],
  "limits.ts": [
    ["any number of calls is under way", "calls: { inAll: 6,", "calls: { inAll: 6000,"],
    ["of a company all of its four are pages", "6, ofOneCompany: 3", "6, ofOneCompany: 4"],
    ["any number of new keys is verified at once", "ofNewKeys: 2", "ofNewKeys: 6"],
    ["any number of slow calls is under way", "slowCalls: { inAll: 2,", "slowCalls: { inAll: 6,"],
    ["a company has several slow calls at a time", "inAll: 2, ofOneCompany: 1 }", "inAll: 2, ofOneCompany: 4 }"],
  ],
  "line/bodies.ts": [
    ["a body may have any length", "if (bytes > most)", "if (false)"],
    ["a body may come in any number of pieces", "if (pieces.length >", "if (false && pieces.length >"],
    ["a body may take any time", 'body.stop.abort(new ApiError(408, "Request Timeout"))', "{}"],
    ["the oldest body is lost", ".findLast(", ".find("],
    ["a body that was lost is written", "if (!this.#bodies.has(body)) throw noRoom;"],
    ["a company's next body does not wait", "this.#bytes.of(company) < shares.bodies.ofOneCompany", "true"],
  ],
  "import/rewards.ts": [
    ["a body is read unverified", "line.afterVerifying(visit, async () =>", "Promise.try(async () =>"],
  ],
  "lists/rows.ts": [
    ["anybody learns what is wrong", "return await line.afterVerifying", "throw error; line.afterVerifying"],
    ["a list without X-Has-More is passed on", "if (value === null) throw", "if (false) throw"],
  ],
  "lists/csv.ts": [
    ["formulas run", "formula[bytes[start] as number] === 1", "false"],
    ["formulas behind a tab run", '"=+-@\\t\\r"', '"=+-@\\r"'],
    ["formulas behind a carriage return run", '"=+-@\\t\\r"', '"=+-@\\t"'],
    ["a page that is cut off is a whole one", 'if (this.#expected !== "") throw', "if (false) throw"],
  ],
  "answers/log.ts": [
    ["the log has paths as they are", "path: loggable(served.path)", "path: served.path"],
    ["the log has methods as they are", "method: loggable(served.method)", "method: served.method"],
  ],
  "answers/errors.ts": [["the log has messages of failures", "logged: { error: `$", "logged: { error: error + `$"]],
  "answers/responses.ts": [
    ["answers may be cached", '"Cache-Control": "private, no-store",'],
    ["content types may be guessed", '"X-Content-Type-Options": "nosniff",'],
    ["a HEAD has a body", "const sent = isHead ?", "const sent = false ?"],
  ],
  "database/replicas.ts": [
    ["a replica's page for another company is passed on", "if (isOfCompany && reply", "if (reply"],
    ["a replica's page is passed on that does not say whether there is more", ' && reply.headers.has("X-Has-More")'],
  ],
  "line/waiting_line.ts": [
    ["a 400 asks for no scope", "required_scope: caller.scope", "required_scope: null"],
    ["of a company any number runs", ": this.#ofOneCompany - this", ": 6 + this.#ofOneCompany - this"],
    ["the number that the database says is not learnt", "this.#ofOneCompany = readVerifiedKey", "readVerifiedKey"],
    ["a new key is not verified first", 'if (this.#laneOf(visit) === "") await this.#verify(visit);'],
    ["a key that was refused counts as verified", "this.#known.delete(keyHash);"],
    ["refused keys are answered at once", "if (turn > now) await", "if (false) await"],
    ["codes may be guessed faster than keys", 'if (body === "null") await'],
  ],
  "line/watched_answer.ts": [["a page is sent at once, read or not", "body.length > bytesOf.sentAtOnce", "false"]],
  "line/refused_uses.ts": [
    ["a minute never ends", "if (minute !== lastMinute) notedOf.clear();"],
    ["a key is noted more than once a minute", "noted.has(use) ||", ""],
    ["a company may note any number", " || noted.size >= shares.notes.ofOneCompany"],
    ["a wrong import is not noted", "[400, 408, 415].includes(status)", "false"],
  ],
  "line/visit.ts": [
    ["a waiting request waits for ever", "Math.max(0, this.patience - this.waited)", "100 * this.patience"],
  ],
});

/** By the file in test/cli that must notice them. */
export const cliMutants = {
  connection: mutantsIn("cli/src", {
    "proxy.ts": [
      ["a proxy that hangs up is dialed again at once", "new ProxyPool(", "new Pool("],
      ["NO_PROXY has no ranges", "|| isInRange(url.hostname, hosts)"],
    ],
  }),
  export: mutantsIn("cli/src", {
    "whole_file.ts": [
      ["a file gets its name before it is on the disk", "await file.sync();"],
      ["the name of a file is not on the disk", "await handle.sync();"],
    ],
  }),
  import: mutantsIn("cli/src", {
    "import_rewards.ts": [["an import that breaks off does not say where", "if (this.#isDryRun) throw", "throw"]],
  }),
  sync_file: mutantsIn("cli/src/sync", {
    "lock.ts": [["a second sync waits for the first one", "pragma busy_timeout = 0;"]],
    "sqlite.ts": [
      ["deleted rows are not overwritten", "pragma secure_delete = on;", "pragma secure_delete = off;"],
      ["a FIFO is opened", "await placeOf(path + end);"],
    ],
    "copy.ts": [["temporary files are anywhere", "if (!process.env.SQLITE_TMPDIR)", "if (false)"]],
  }),
};
