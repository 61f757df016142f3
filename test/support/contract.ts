// Every answer of the running stack is checked against docs/openapi.json, with formats. Fields that it does not list are
// not allowed.
import { Ajv2020, type AnySchema, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { read } from "./pages.ts";

type Header = { required?: boolean; schema: AnySchema };
type Answer = { headers?: Record<string, { $ref: string }>; content?: Record<string, { schema: object }> };
type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Answer> }>>;
  components: { schemas: Record<string, object>; headers: Record<string, Header> };
};

const document: Document = JSON.parse(read("docs/openapi.json"), closed);
const { schemas, headers } = document.components;

const ajv = new Ajv2020({
  keywords: ["example", "components"],
  allowUnionTypes: true,
});
addFormats.default(ajv);
// A client in JavaScript could not read another one exactly.
ajv.addFormat("int64", { type: "number", validate: Number.isSafeInteger });
const validators = new Map<string, ValidateFunction>();

/** Reads the document so that an object may have only the fields that it lists. */
function closed(_name: string, value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && "properties" in value && "type" in value;
  return isObject ? { additionalProperties: false, ...value } : value;
}

function check(what: string, schema: AnySchema, value: unknown): void {
  const whole = typeof schema === "object" ? { ...schema, components: { schemas } } : schema;
  const validate = validators.get(what) ?? ajv.compile(whole);
  validators.set(what, validate);
  if (!validate(value)) throw new Error(`${what} does not match docs/openapi.json: ${ajv.errorsText(validate.errors)}`);
}

/** The answer that the document describes for a request; the general error when no endpoint matches. */
function answerTo(method: string, path: string, status: number): Answer {
  const name = /^[^?]*?(?=\/?(\?|$))/.exec(path)?.[0] || "/";
  // Every name begins with a slash, so that none is a property that objects inherit.
  const operation = document.paths[name]?.[method.toLowerCase()];
  const answer = operation?.responses[status];
  if (answer) return answer;
  if (operation && status !== 404) throw new Error(`docs/openapi.json has no ${status} for ${method} ${path}`);
  return { content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } } };
}

/** Throws when the answer to a request differs from the document in status, headers, content type or body. */
export function checkAnswer(method: string, path: string, status: number, sent: Headers, body: string): void {
  const place = `${method} ${path.split("?")[0]} ${status}`;
  if (method === "OPTIONS" && status === 204) {
    // The introduction of the document describes the CORS preflight for all paths at once.
    if (body !== "" || sent.has("Content-Type")) throw new Error(`${place} has a body`);
    return;
  }
  // HEAD is GET without the body.
  const answer = answerTo(method === "HEAD" ? "GET" : method, path, status);
  checkHeaders(place, answer, sent);
  const type = sent.get("Content-Type")?.split(";")[0] ?? "";
  const content = answer.content?.[type];
  if (!content) throw new Error(`docs/openapi.json has no ${type} for ${place}`);
  if (method !== "HEAD")
    check(`${place} ${type}`, content.schema, type === "application/json" ? JSON.parse(body) : body);
  else if (body !== "") throw new Error(`${place} has a body`);
}

function checkHeaders(place: string, answer: Answer, sent: Headers): void {
  for (const [name, { $ref }] of Object.entries(answer.headers ?? {})) {
    const { required, schema } = headers[$ref.split("/").at(-1) ?? ""] ?? { required: true, schema: false };
    if (required || sent.has(name)) check(`${place} ${name}`, schema, sent.get(name));
  }
}

/** fetch for the API at a base address. Throws when the answer does not match docs/openapi.json. */
export async function checkedFetch(api: string, path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(`${api}${path}`, init);
  checkAnswer(init.method ?? "GET", path, response.status, response.headers, await response.clone().text());
  return response;
}
