import { appendFileSync } from "node:fs";
import type { EmailDriver } from "@supabase/lite";
import { writePrivate } from "./secrets.ts";

/** A mail that Auth would have sent; `mails.jsonl` in the stack's folder holds one a line, the newest last. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/**
 * Captures Auth's mails instead of sending them.
 * @param siteUrl the dashboard, where links lead to in the end
 * @param supabaseUrl the project, which checks them on the way: Lite writes every link as if both were one
 */
export async function captureMails(path: string, siteUrl: string, supabaseUrl: string): Promise<EmailDriver> {
  await writePrivate(path, "");
  return {
    send: async ({ to, subject, text = "" }) => {
      const mail: Mail = { to, subject, text: text.replaceAll(`${siteUrl}/auth/v1/`, `${supabaseUrl}/auth/v1/`) };
      appendFileSync(path, `${JSON.stringify(mail)}\n`);
    },
  };
}
