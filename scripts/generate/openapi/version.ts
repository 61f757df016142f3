// Checks the version of a document against the last released one (docs/api.md, Versioning).
import { isDeepStrictEqual } from "node:util";
import type { Contract } from "./breaking_changes.ts";

/** An OpenAPI document with the parts that are compared here: also the version and the security schemes. */
export interface VersionedContract extends Contract {
  info: { version: string };
  components: Contract["components"] & { securitySchemes: Record<string, object> };
}

/** Keywords for readers only. Any other difference is a change of the contract. */
const words = ["description", "summary", "title", "example", "examples"];

/** A part of a document without `words`. The keys of `properties` are names of fields, so all of them are kept. */
function bare(part: unknown, keysAreNames = false): unknown {
  if (Array.isArray(part)) return part.map((item) => bare(item));
  if (typeof part !== "object" || part === null) return part;
  const kept = Object.entries(part).filter(([key]) => keysAreNames || !words.includes(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, bare(value, key === "properties" && !keysAreNames)]));
}

const contractOf = ({ paths, components }: VersionedContract): unknown => bare({ paths, components });

function partsOf(version: string): [number, number, number] {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? [];
  if (patch === undefined) throw new Error(`${version} is not a version such as 1.2.3`);
  return [Number(major), Number(minor), Number(patch)];
}

/** Lists what is wrong with the version of `now`, and the ways of sending a key that it no longer has. */
export function versionProblems(released: VersionedContract, now: VersionedContract): string[] {
  const [major, minor, patch] = partsOf(released.info.version);
  const [newMajor, newMinor, newPatch] = partsOf(now.info.version);
  const problems = Object.entries(released.components.securitySchemes)
    .filter(([name, scheme]) => !isDeepStrictEqual(bare(scheme), bare(now.components.securitySchemes[name])))
    .map(([name]) => `a key can no longer be sent by ${name}`);
  const rise = newMajor - major || newMinor - minor || newPatch - patch;
  if (rise < 0) problems.push(`version ${now.info.version} is older than the released ${released.info.version}`);
  else if (newMajor === major && newMinor === minor && !isDeepStrictEqual(contractOf(released), contractOf(now)))
    problems.push(`the contract has changed: version must be ${major}.${minor + 1}.0, not ${now.info.version}`);
  return problems;
}
