import { appendFileSync } from "node:fs";
import type { EmailDriver } from "@supabase/lite";
import { writePrivate } from "./secrets.ts";

/** An email that Auth would have sent. `mails.jsonl` in the stack's folder has one per line, the newest last. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/**
 * Stores Auth's emails in a file instead of sending them.
 * @param siteUrl the address of the dashboard, to which the links lead in the end
 * @param supabaseUrl the address of the project, which checks the links first. Lite writes the links as if both addresses
 * were the same, so this function corrects them
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
