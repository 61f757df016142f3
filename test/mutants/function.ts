// Protections of the Edge Function, each removed by replacing one text. The tests of test/function must notice it.

/** A file of functions/public-api, the text of a protection, and the text that replaces it. */
export interface TextMutant {
  name: string;
  file: string;
  from: string;
  to: string;
}

/** For each file: what is removed, the text that is replaced, and by what, unless by nothing. */
const inFile: Record<string, [name: string, from: string, to?: string][]> = {
  "credentials.ts": [
    ["the checksum of a key is not looked at", " && text.endsWith(checksum(text.slice(0, -6)))"],
    ["a key may be longer", "{38}$/", "{38}/"],
    ["Authorization counts before X-API-Key", "if (apiKey !== null) return [apiKey];"],
    ["any scheme is a bearer", 'scheme.toLowerCase() === "bearer"', "true"],
    ["the key itself goes to the database", "const digest =", "return key;\n  const digest ="],
  ],
  "app.ts": [
    ["a large page counts as one call", "asStream, args.max_rows)", "asStream)"],
    ["a large page in CSV counts as one call", "asPage, args.max_rows)", "asPage)"],
    ["a large import counts as one call", "asText, rewards.length)", "asText)"],
    [
      "anybody learns what is wrong with a request",
      "return await afterVerifying(endpoint, call, () => Promise.reject(error));",
      "throw error;",
    ],
    [
      "a body is read before the key is verified",
      "return afterVerifying(endpoint, call, async () => {",
      "return Promise.resolve().then(async () => {",
    ],
    ["a 400 asks for no scope", "required_scope: scope", "required_scope: null"],
    ["the log has paths as they are", "path: loggable(path)", "path"],
    ["the log has methods as they are", "method: loggable(request.method)", "method: request.method"],
    ["the log has the address", "path: loggable(path)", "path: request.url"],
    ["the log has messages of failures", "logged: { error: `$", "logged: { error: error + `$"],
    ["the request id is the caller's", "crypto.randomUUID()", 'request.headers.get("X-Request-Id") ?? ""'],
    ["a list without X-Has-More is passed on", "if (value === null) throw", "if (false) throw"],
    ["a handler throws", "respond(request, path, query).catch(failed)", "respond(request, path, query)"],
    ["GET / answers whatever the database says", "} = verifiedKey.parse(JSON.parse(body))", "} = JSON.parse(body)"],
  ],
  "database.ts": [
    ["there is no deadline", 'abort.abort(new DOMException("too late", "TimeoutError"))', "{}"],
    ["redirects are followed", 'redirect: "manual",'],
    ["HTML is passed on", "response.status === 200 && isJson", "response.status === 200"],
    ["every 401 from behind is the caller's", 'response.status === 401 && code === "PT401"', "response.status === 401"],
    ["every 403 from behind is the caller's", 'response.status === 403 && code === "PT403"', "response.status === 403"],
    ["an error body is read without end", "while (text.length < 4096)", "while (true)"],
    ["a new secret key is sent as a token", 'if (!secretKey.startsWith("sb_secret_")) headers.set', "headers.set"],
    [
      "the log has the network's messages",
      "? error.name : typeof error",
      "? String(error.stack) + supabaseUrl : typeof error",
    ],
    ["a setting that is wrong is shown", ".test(url)) throw new Error(wrong)", ".test(url)) throw new Error(url)"],
    [
      "a secret that is no JSON is shown",
      "// The message of JSON.parse would show a part of the secret.",
      "throw new Error(json);",
    ],
    [
      "a closed connection is a failure",
      "(abort.signal.aborted ? Promise.reject(error) : send())",
      "Promise.reject(error)",
    ],
    ["every 429 is the company's", 'response.status === 429 && code === "PT429"', "response.status === 429"],
    ["every 400 is about starting_after", 'response.status === 400 && code === "PT400"', "response.status === 400"],
    ["whose the refused request was is not logged", 'by the database", ownerOfKey(details)', 'by the database", {}'],
    ["a database that is away is not called again", "return response.status === 503 ? new Busy(error) :", "return"],
  ],
  "reward_import.ts": [
    ["a body may have any length", "if (bytes > limits.bytes)", "if (false)"],
    ["a body may come in any number of pieces", "if (pieces.length >", "if (false && pieces.length >"],
    ["a body may take any time", "isLate = true;"],
    ["a body may have any encoding", "fatal: true", "fatal: false"],
    ["a byte-order mark is taken off", "ignoreBOM: true", "ignoreBOM: false"],
    ["any number of rewards is taken", "if (rows > limits.rewards)", "if (false)"],
    ["no reward is no error", 'if (rows === 0) throw badRequest(["body must not be empty"]);'],
    ["one bad row of many is let through", "if (problems.length > 0)", "if (problems.length === rows)"],
    ["an external_id may come twice", "if (first !== undefined)", "if (false)"],
  ],
  "reward_rows.ts": [
    [
      "NUL and lone surrogates are taken",
      '.regex(/^[^\\0\\p{Cs}]*$/u, "must be text without NUL and lone surrogates")',
    ],
    ["lengths are counted in UTF-16", '}$`, "u")', "}$`)"],
    ["a negative cost is taken", ' && value >= 0, "must be', ', "must be'],
    ["any size of cost is taken", "value <= Number.MAX_SAFE_INTEGER,", "true,"],
    ["a cost is not rounded", ".transform(Math.round)"],
    ["a field may come twice", "if (sent.repeated.has(name))", "if (false)"],
    ["fields are inherited", "Object.hasOwn(rewardFields, name)", "name in rewardFields"],
    ["other keys may stand beside rewards", "names.all === 1 ? rows : undefined", "rows"],
  ],
  "json_text.ts": [
    ["text behind the body is let through", "if (this.#next() !== undefined) throw new NotJson();"],
    ["control characters may stand in texts", "!(next >= 32)", "Number.isNaN(next)"],
    ["any escape is taken", 'if (escaped === "" || !\'"\\\\/bfnrt\'.includes(escaped)) throw new NotJson();'],
    ["numbers may begin with zeros", "if (this.text.charCodeAt(this.at) === zero) this.at++;\n    else "],
    ["one bracket closes another", "this.#expect(closing(kind));", "this.at++;"],
  ],
  "csv.ts": [["a page is read before its reader wants it", "{ highWaterMark: 0 }", "{ highWaterMark: 1e9 }"]],
  "csv_converter.ts": [
    ["formulas run", "hasFormulas && formula[character] === 1", "hasFormulas && false"],
    ["formulas behind a tab run", '"=+-@\\t\\r"', '"=+-@\\r"'],
    ["formulas behind a carriage return run", '"=+-@\\t\\r"', '"=+-@\\t"'],
    ["ids are escaped", '(type === "text" || type === "json")', "true"],
    ["null is a word", 'if (this.#lines[this.#cell] === code("n")) this.#at = this.#cell;'],
    [
      "values keep their white space",
      "if (blank[byte] === 1) return;\n      if (byte === openBrace",
      "if (byte === openBrace",
    ],
    ["a page that is cut off is a whole one", "this.#place !== afterPage", "false"],
    ["a row may lack a column", "if (missing) throw", "if (false) throw"],
    ["fields that are not columns are cells", "if (!this.#isColumn) this.#at = this.#cell;\n    else"],
    ["half a pair is left out", "this.#high = 0;\n    this.#write(replacement);", "this.#high = 0;"],
    ["a cell may end with a space", "this.#lines[this.#at - 1] === space", "false"],
  ],
  "responses.ts": [
    ["answers may be cached", '"Cache-Control": "private, no-store",'],
    ["content types may be guessed", '"X-Content-Type-Options": "nosniff",'],
    ["a HEAD has a body", "const sent = isHead ?", "const sent = false ?"],
    ["all problems are listed", "problems.slice(0, 20)", "problems"],
    [
      "odd names stand in messages as they are",
      "JSON.stringify(name).replace",
      "name;\n  JSON.stringify(name).replace",
    ],
    ["long names stand in messages as they are", "if (length > 64)", "if (false)"],
  ],
  "parameters.ts": [
    ["an unknown parameter is ignored", "if (!kind) return {", "if (!kind) return {};\n  if (!kind) return {"],
    ["the last of two values counts", "if (texts.length > 1)", "if (false)"],
    ["a limit may be anything", '.regex(/^([1-9][0-9]{0,2}|1000)$/, "must be an integer from 1 to 1000")'],
    ["a uuid may be anything", '.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, "must be a uuid")'],
    ["NUL goes on in a filter", '.regex(/^[^\\0]*$/, "must not contain NUL or lone surrogates")'],
    ["an empty filter filters nothing", '.min(1, "must not be empty")'],
    ["since may be after until", "if (since && until && isAfter(since, until))", "if (false)"],
    ["since rounds down", "timestamp(since, Math.ceil)", "timestamp(since, Math.floor)"],
  ],
  "instants.ts": [["a day that is none is taken", "if (!isRealDate || !isRealTime) return undefined;"]],
  "waiting_line.ts": [
    ["any number of calls is under way", "const together = 8;", "const together = 8000;"],
    ["unverified keys have as many places as a company", "unverified.most : together", "together : together"],
    [
      "a call that the database refuses is not made again",
      "if (!(error instanceof Busy)) throw isLate(error) ? (busy ?? error) : error;",
      "throw error;",
    ],
    ["a database that is away is too many requests", "isLate(error) ? (busy ?? error) : error", "error"],
    ["a key that was refused counts as verified", "if (error.status === 401) this.#owners.delete(visit.keyHash);"],
    [
      "a company with many keys makes the instance forget others",
      "...keysOf.values()].red",
      "...keysOf.values()].slice(0, 1).red",
    ],
    ["refused keys are answered at once", "if (turn > now) await", "if (false) await"],
    ["a company that is alone has few places", "now - this.#latest.since > heavy.recently", "false"],
    ["companies that call by turns have all their places", "now - this.#latest.since > heavy.recently", "true"],
    ["a refusal may be held back for any time", ", now + refusals.held)", ", Infinity)"],
    [
      "a call ends its place when the caller goes",
      "answer.finally(leave), discard)",
      "answer, discard).finally(leave)",
    ],
  ],
  "fair_queue.ts": [
    ["a waiting request waits for ever", "}, patience - this.waited);", "}, 100 * patience);"],
    ["what was waited before does not count", "patience - this.waited", "patience"],
    [
      "who went away stays in the line",
      'this.#signal.addEventListener("abort", leave);\n    return end;',
      "return end;",
    ],
    ["lanes do not take turns", "this.#lanes.delete(name);\n      this.#lanes.set(name, lane);"],
    [
      "a large page counts as one call",
      "return lane.inside === 0 || lane.weight + weight <= lane.places;",
      "return true;",
    ],
    ["a heavy request leaves no place to a light one", "Math.min(most, lane.most - 1)", "most"],
    ["a refused lane goes on asking", "lane.places = Math.min(", "lane.places = Math.max("],
  ],
};

export const functionMutants: TextMutant[] = Object.entries(inFile).flatMap(([file, mutants]) =>
  mutants.map(([name, from, to = ""]) => ({ name, file, from, to })),
);
