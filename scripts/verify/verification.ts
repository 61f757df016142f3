import { version } from "../../functions/public-api/table/endpoints.ts";
import { checkAnswer } from "../../test/support/contract.ts";

/** The platform may answer some requests itself (docs/api.md, Requests): that is not wrong. */
type Result = "right" | "wrong" | "not made" | "the platform's answer";
export type Verification = ReturnType<typeof newVerification>;

/** Ends a check unless a condition holds. `saw` is in the report, so it contains neither a key nor data. */
export function expect(holds: unknown, saw: string, result: Result = "wrong"): asserts holds {
  if (!holds) throw { result, saw };
}

/** Sends a request, and expects this status. It follows no redirect, which could lead the key elsewhere. */
export async function ask(url: string, status: number, init: RequestInit = {}, key = "") {
  const headers = { "User-Agent": `public-data-api/${version} verify`, ...(key && { "X-API-Key": key }) };
  const answer = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(30_000), headers, ...init });
  const body = await answer.text();
  const [type, id] = ["Content-Type", "X-Request-Id"].map((name) => answer.headers.get(name));
  const json = type?.startsWith("application/json") && body !== "" ? JSON.parse(body) : undefined;
  // The texts of errors contain no data.
  const saw = `${answer.status} (${type}), not ${status}: ${json?.error ?? json?.message}, X-Request-Id ${id}`;
  expect(answer.status === status, saw, answer.status === 405 && !id ? "the platform's answer" : "wrong");
  return { headers: answer.headers, body, json };
}

/** The API at a base address, with a key or without one, and what is found there. */
export function newVerification(base: string, key: string | undefined) {
  const api = {
    ...{ base, key, scopes: undefined as readonly string[] | undefined },
    findings: [] as { check: string; result: Result; saw: string; page: string; times_no_key: number }[],
    /** The milliseconds of the first check. */
    unit: 0,

    /** Makes a check, which returns what it saw. `page` says what is right. `scope`: "" for any key, undefined for none. */
    async check(check: string, page: string, scope: string | undefined, make: () => Promise<string>): Promise<void> {
      const begin = performance.now();
      const made = async () => {
        expect(scope === undefined || key, "PUBLIC_API_KEY isn't set", "not made");
        const why = api.scopes ? `the key lacks ${scope}` : "GET / has failed";
        expect(!scope || api.scopes?.includes(scope), why, "not made");
        return { result: "right" as const, saw: await make() };
      };
      const ended = await made().catch((error) => error);
      // The message of another error may contain a part of a body, or an address.
      const { result = "wrong", saw = `no good answer (${ended.code ?? ended.cause?.code ?? ended.name})` } = ended;
      const took = performance.now() - begin;
      api.unit ||= took;
      api.findings.push({ check, result, saw, page, times_no_key: Math.round((10 * took) / api.unit) / 10 });
      console.log(`${result.padEnd(8)}  ${check}: ${saw}${result === "right" ? "" : ` (${page})`}`);
    },

    /** Sends a request to the API. The answer must have this status, and match docs/openapi.json. */
    async ask(path: string, status = 200, init: RequestInit = {}, sentKey = key) {
      const answer = await ask(base + path, status, init, sentKey);
      expect(answer.headers.has("X-Request-Id"), `${status}, but not of the function: is verify_jwt on?`);
      try {
        checkAnswer(init.method ?? "GET", path, status, answer.headers, answer.body);
      } catch (error) {
        expect(false, (error as Error).message);
      }
      return answer;
    },
  };
  return api;
}
