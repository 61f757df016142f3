import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A key that was never created, with a valid checksum: another one for each number. */
export function madeUpKey(number: number): string {
  const text = `sk_live_${String(number).padStart(32, "0")}`;
  const digits = [5, 4, 3, 2, 1, 0].map((place) => alphabet[Math.floor(crc32(text) / 62 ** place) % 62]);
  return text + digits.join("");
}
