import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

/** A random password of 192 bits that needs no escaping in URLs, SQL and shell commands. */
export const randomPassword = (): string => randomBytes(24).toString("base64url");

/** Writes a file that only its owner can read. */
export async function writePrivate(path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600 });
}

/** The JSON object in a file, or null when there is no such file. Its type is not checked: we wrote it. */
export async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** New secrets of a stack: passwords of database roles, the signing secret of sessions, the project's two keys. */
const newSecrets = () => ({
  supabase_admin: randomPassword(),
  postgres: randomPassword(),
  supabase_auth_admin: randomPassword(),
  authenticator: randomPassword(),
  jwt_secret: randomPassword(),
  publishable_key: `sb_publishable_${randomPassword()}`,
  secret_key: `sb_secret_${randomPassword()}`,
});
export type Secrets = ReturnType<typeof newSecrets>;

/** The secrets of the stack in this folder, created on its first start, or when a newer version needs one more. */
export async function stackSecrets(folder: string): Promise<Secrets> {
  const path = `${folder}/secrets.json`;
  const secrets = { ...newSecrets(), ...(await readJson<Secrets>(path)) };
  await writePrivate(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}
