// npm run build: it refuses settings with which the page would fail later or would contain a secret.
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { expectPublishable } from "../../dashboard/build/publishable_key.ts";
import { bin, root } from "../../scripts/stack/process.ts";

/** What the build prints when it fails. It fails before it writes anything. */
function complaintAbout(key: string): string {
  const env = { ...process.env, VITE_SUPABASE_URL: "https://project.example", VITE_SUPABASE_PUBLISHABLE_KEY: key };
  const args = [bin("vite"), "build", `${root}/dashboard`, "--outDir", "/nowhere"];
  return spawnSync(process.execPath, args, { env, encoding: "utf8" }).stderr;
}

const legacyKey = (role: string) =>
  ["e30", Buffer.from(JSON.stringify({ iss: "supabase", role })).toString("base64url"), "signature"].join(".");

// Proves: layer.15
test("a key that is not made for a page is refused in one line, which does not repeat it", () => {
  const secret = "sb_secret_0123456789";
  const printed = complaintAbout(secret);
  expect(printed).toMatch(
    /^.*VITE_SUPABASE_PUBLISHABLE_KEY must be the publishable key \(sb_publishable_…\) or the legacy anon key: everybody can read it in the page.*$/m,
  );
  expect(printed).not.toContain(secret);
  expect(printed).not.toMatch(/^\s+at /m);
  expect(complaintAbout("")).toContain("Set VITE_SUPABASE_PUBLISHABLE_KEY");
  for (const key of [legacyKey("service_role"), "something else"]) expect(() => expectPublishable(key)).toThrow();
  for (const key of [legacyKey("anon"), "sb_publishable_0123"]) expect(() => expectPublishable(key)).not.toThrow();
});
