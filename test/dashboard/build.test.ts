// npm run build: it refuses settings with which the page would fail later or would contain a secret.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bin, root } from "../../scripts/stack/process.ts";

/** Builds with a key. Returns the output when the build fails, or null when it succeeds. */
async function buildWith(key: string): Promise<string | null> {
  const folder = await mkdtemp(`${tmpdir()}/dashboard-build-`);
  const settings = { VITE_SUPABASE_URL: "https://project.example", VITE_SUPABASE_PUBLISHABLE_KEY: key };
  try {
    const args = [bin("vite"), "build", `${root}/dashboard`, "--outDir", `${folder}/dist`];
    await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...settings } });
    return null;
  } catch (error) {
    expect(existsSync(`${folder}/dist`)).toBe(false);
    return (error as { stderr: string }).stderr;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const legacyKey = (role: string) =>
  ["e30", Buffer.from(JSON.stringify({ iss: "supabase", role })).toString("base64url"), "signature"].join(".");

// Proves: layer.15
test("a key that is not made for a page is refused in one line, which does not repeat it", async () => {
  for (const key of ["sb_secret_0123456789", legacyKey("service_role"), "something else"]) {
    const printed = await buildWith(key);
    expect(printed, key).toMatch(
      /^.*VITE_SUPABASE_PUBLISHABLE_KEY must be the publishable key \(sb_publishable_…\) or the legacy anon key: everybody can read it in the page.*$/m,
    );
    expect(printed).not.toContain(key);
    expect(printed).not.toMatch(/^\s+at /m);
  }
});

test("the legacy anon key will do", async () => {
  expect(await buildWith(legacyKey("anon"))).toBeNull();
});

test("a missing setting is named", async () => {
  expect(await buildWith("")).toContain("Set VITE_SUPABASE_PUBLISHABLE_KEY");
});
