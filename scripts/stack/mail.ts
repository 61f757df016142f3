import { appendFileSync } from "node:fs";
import type { EmailDriver } from "@supabase/lite";
import { writePrivate } from "./secrets.ts";

/** An email that Auth would have sent. `mails.jsonl` in the stack's folder has one per line, the newest last. */
export interface Mail {
  to: string;
  subject: string;
  html: string;
}

/** What Lite leaves of a template: it knows no conditions. Nobody was invited with a company's name here. */
const companyOr = /\{\{ with \.Data\.company \}\}\{\{ \. \}\}\{\{ else \}\}(.*?)\{\{ end \}\}/g;

/** Stores Auth's emails in a file instead of sending them. */
export async function captureMails(path: string): Promise<EmailDriver> {
  await writePrivate(path, "");
  return {
    send: async ({ to, subject, html = "" }) => {
      const mail: Mail = { to, subject, html: html.replaceAll(companyOr, "$1") };
      appendFileSync(path, `${JSON.stringify(mail)}\n`);
    },
  };
}
