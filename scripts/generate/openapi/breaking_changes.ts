// Finds changes that are not allowed in a minor version (docs/api.md, Versioning).
import { isDeepStrictEqual } from "node:util";

type Json = { [name: string]: Json | undefined };
type Parameter = { name: string; required?: boolean; schema?: Json };
type Operation = {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { headers?: object; content?: Record<string, { schema: Json }> }>;
  "x-scope"?: string;
};

/** The parts of an OpenAPI document that are compared. */
export interface Contract {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; headers: Record<string, Json> };
}

/** The rules differ: fields may be added at the end of a response; a request may only get new optional fields. */
type Direction = "request" | "response";

const words = ["description", "example", "title"];

/** A schema's keywords, without the descriptions and without the keywords that are compared separately. */
function keywords(schema: Json): Record<string, unknown> {
  const own = Object.entries(schema).filter(
    ([name]) => ![...words, "properties", "items", "required", "enum"].includes(name),
  );
  return Object.fromEntries(own);
}

/**
 * Whether values keep their meaning: a response may say more of its values; a request may take texts of more formats, and
 * say the length of texts where it did not say it before.
 */
function isKept(old: Json, now: Json, direction: Direction): boolean {
  const [promised, said] = [keywords(old), keywords(now)];
  if (promised.maxLength === undefined)
    for (const one of [promised, said]) {
      delete one.minLength;
      delete one.maxLength;
    }
  const wanted = said.format === undefined ? { ...promised, format: undefined } : promised;
  if (direction === "request") return isDeepStrictEqual(wanted, { format: undefined, ...said });
  return Object.entries(promised).every(([name, value]) => isDeepStrictEqual(value, said[name]));
}

function names(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

function compareSchemas(place: string, old: Json, now: Json | undefined, direction: Direction): string[] {
  if (!now) return [`${place} is gone`];
  if (!isKept(old, now, direction)) return [`${place} is of another type`];
  return [
    ...compareFields(place, old, now, direction),
    ...compareRequired(place, old, now, direction),
    ...compareValues(place, old, now, direction),
    ...(old.items ? compareSchemas(`${place}[]`, old.items, now.items, direction) : []),
  ];
}

function compareFields(place: string, old: Json, now: Json, direction: Direction): string[] {
  const oldNames = Object.keys(old.properties ?? {});
  const newNames = Object.keys(now.properties ?? {});
  const problems = oldNames.flatMap((name) =>
    compareSchemas(`${place}.${name}`, old.properties?.[name] ?? {}, now.properties?.[name], direction),
  );
  const kept = newNames.filter((name) => oldNames.includes(name));
  // Rows with fields that are only returned on request (include, by) may have more of them, in any place.
  const onRequest = (name: string) =>
    names(old.required).length < oldNames.length && !names(now.required).includes(name);
  const placed = newNames.filter((name) => oldNames.includes(name) || !onRequest(name));
  const moved = direction === "response" && !isDeepStrictEqual(placed.slice(0, kept.length), oldNames);
  if (moved && kept.length === oldNames.length) problems.push(`the fields of ${place} are in another order`);
  return problems;
}

function compareRequired(place: string, old: Json, now: Json, direction: Direction): string[] {
  const [promised, demanded] = [names(old.required), names(now.required)];
  const kept = Object.keys(now.properties ?? {});
  const broken =
    direction === "response"
      ? promised
          .filter((name) => kept.includes(name) && !demanded.includes(name))
          .map((name) => `${name} may be absent`)
      : demanded.filter((name) => !promised.includes(name)).map((name) => `${name} is required`);
  return broken.map((problem) => `${place}.${problem} now`);
}

function compareValues(place: string, old: Json, now: Json, direction: Direction): string[] {
  const [oldValues, newValues] = [names(old.enum), names(now.enum)];
  const [mayBe, known] = direction === "response" ? [newValues, oldValues] : [oldValues, newValues];
  const strange = known.length > 0 ? mayBe.filter((value) => !known.includes(value)) : [];
  return strange.map((value) => `${place} ${direction === "response" ? "may be" : "must not be"} ${value} now`);
}

function compareParameters(place: string, old: Operation, now: Operation): string[] {
  const problems = (old.parameters ?? []).flatMap((parameter) => {
    const same = now.parameters?.find(({ name }) => name === parameter.name);
    return compareSchemas(`${place}: parameter ${parameter.name}`, parameter.schema ?? {}, same?.schema, "request");
  });
  const demanded = (now.parameters ?? []).filter(
    ({ name, required }) =>
      required && !old.parameters?.some((parameter) => parameter.name === name && parameter.required),
  );
  return [...problems, ...demanded.map(({ name }) => `${place}: parameter ${name} is required now`)];
}

function compareOperations(place: string, old: Operation, now: Operation | undefined): string[] {
  if (!now) return [`${place} is gone`];
  const problems = compareParameters(place, old, now);
  if (old["x-scope"] !== now["x-scope"]) problems.push(`${place} needs another scope`);
  for (const [type, { schema }] of Object.entries(old.requestBody?.content ?? {})) {
    const body = now.requestBody?.content[type]?.schema;
    problems.push(...compareSchemas(`${place}: body`, schema, body, "request"));
  }
  for (const [status, { headers = {}, content = {} }] of Object.entries(old.responses)) {
    const answer = now.responses[status];
    if (!answer) problems.push(`${place}: ${status} is gone`);
    const gone = Object.keys(headers).filter((name) => !Object.hasOwn(answer?.headers ?? {}, name));
    problems.push(...gone.map((name) => `${place}: ${status} has no header ${name} any more`));
    for (const [type, { schema }] of Object.entries(content)) {
      problems.push(
        ...compareSchemas(`${place}: ${status} ${type}`, schema, answer?.content?.[type]?.schema, "response"),
      );
    }
  }
  return problems;
}

/** A header whose value is a list of names may list more of them. */
function compareHeader(place: string, old: Json, now: Json | undefined): string[] {
  const [oldNames = [], newNames = []] = [old, now].map((schema) => String(schema?.const ?? "").split(", "));
  const isLonger = now?.const !== undefined && oldNames.every((name) => newNames.includes(name));
  return compareSchemas(place, old, isLonger ? { ...now, const: old.const } : now, "response");
}

/**
 * Lists the changes in `now` that break a client of `released`: a removed endpoint, parameter, field, header or status,
 * a changed type, fields in another order, a parameter or field that is newly required.
 */
export function breakingChanges(released: Contract, now: Contract): string[] {
  const operations = Object.entries(released.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      compareOperations(`${method.toUpperCase()} ${path}`, operation, now.paths[path]?.[method]),
    ),
  );
  // Only the row of an import is a request schema; all others are responses.
  const schemas = Object.entries(released.components.schemas).flatMap(([name, schema]) =>
    compareSchemas(name, schema, now.components.schemas[name], name === "RewardRow" ? "request" : "response"),
  );
  const headers = Object.entries(released.components.headers).flatMap(([name, { schema = {} }]) =>
    compareHeader(`header ${name}`, schema, now.components.headers[name]?.schema),
  );
  return [...operations, ...schemas, ...headers];
}
