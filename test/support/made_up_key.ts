import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A key that was never created, with a valid checksum: another one for each number. */
export function madeUpKey(number: number): string {
  const text = `sk_live_${String(number).padStart(32, "0")}`;
  let digits = "";
  for (let place = 0, rest = crc32(text); place < 6; place++, rest = Math.floor(rest / 62)) {
    digits = alphabet[rest % 62] + digits;
  }
  return text + digits;
}
