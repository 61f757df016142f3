import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { unauthorized } from "../answers/errors.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The hash of the key in the headers (`docs/api.md`, Authentication). Throws a 401 for none or a malformed one. */
export function keyHashOf(headers: Headers): string {
  const sent = sentCredentials(headers);
  if (sent.length === 0) throw unauthorized("no key");
  const key = sent.find(isWellFormedKey);
  if (key === undefined) throw unauthorized("malformed key");
  return hashOf(key);
}

/** The SHA-256 of a text as 64 lower-case hexadecimal digits. The database only sees it. */
export function hashOf(text: string): string {
  // Web Crypto uses another thread even for 46 bytes. That took more than a tenth of the time of a short list.
  return bytesToHex(sha256(new TextEncoder().encode(text)));
}

/** The texts that may be the key: for Basic the user name and the password, otherwise one. An empty header counts as absent. */
function sentCredentials(headers: Headers): string[] {
  const apiKey = headers.get("X-API-Key");
  if (apiKey) return [apiKey];
  const authorization = headers.get("Authorization");
  if (!authorization) return [];
  const [, scheme = "", credentials = ""] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() === "bearer") return [credentials];
  if (scheme.toLowerCase() !== "basic") return [""];
  try {
    // atob returns one character per byte. That is enough: a key is ASCII, and the other half is not used.
    const [user = "", ...password] = atob(credentials).split(":");
    // Power BI keeps a line break or blank that was pasted with the key.
    return [user, password.join(":")].map((text) => text.trim());
  } catch {
    return [""];
  }
}

/** Whether a text can be an API key: `sk_live_`, 32 random characters of `0-9A-Za-z`, and 6 of their checksum. */
export function isWellFormedKey(text: string): boolean {
  return /^sk_live_[0-9A-Za-z]{38}$/.test(text) && text.endsWith(checksum(text.slice(0, -6)));
}

/** CRC32 (IEEE) of an ASCII text, in base62, most significant digit first, padded with `0` to 6 characters. */
function checksum(text: string): string {
  let crc = 0xffffffff;
  for (const character of text) {
    crc ^= character.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  let digits = "";
  for (let rest = ~crc >>> 0; digits.length < 6; rest = Math.floor(rest / 62)) digits = alphabet[rest % 62] + digits;
  return digits;
}
