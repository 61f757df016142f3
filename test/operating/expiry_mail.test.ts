// scripts/expiry_mail.sh (docs/operate/dashboard.md, Expiry emails), against a stand-in of a mail server.

import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { root, runCommand, withoutPassword } from "../../scripts/stack/process.ts";
import { emptyCompany, makeKey, signedIn } from "../support/companies.ts";
import { sql, stack } from "../support/stack.ts";

type Received = { from: string; to: string[]; text: string };

const received: Received[] = [];

/** One connection to a mail server without encryption and sign-in, which accepts every email (RFC 5321). */
async function acceptMails(socket: Socket): Promise<void> {
  const say = (line: string) => socket.write(`${line}\r\n`);
  const lines = createInterface(socket)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => (await lines.next()).value ?? "QUIT";
  const mail: Received = { from: "", to: [], text: "" };
  say("220 stand-in");
  for (let line = await next(); line !== "QUIT"; line = await next()) {
    const [command = "", argument = ""] = line.split(":");
    if (command === "MAIL FROM") mail.from = argument;
    if (command === "RCPT TO") mail.to.push(argument);
    if (command === "DATA") {
      say("354 go on");
      for (let text = await next(); text !== "."; text = await next()) mail.text += `${text}\n`;
      received.push(mail);
    }
    say("250 ok");
  }
  socket.end("221 bye\r\n");
}

const mailServer = createServer((socket) => void acceptMails(socket)).listen(0, "127.0.0.1");
await once(mailServer, "listening");
const company = await emptyCompany("Hollis & Rowe");
afterAll(async () => {
  await company.remove();
  mailServer.close();
});

test("each admin gets an email 14, 3 and 1 days before a key expires, and about no other key", async () => {
  const ada = await signedIn(await company.addPerson("Ada Brandt", "admin"));
  await company.addMember("Ben Osei", "admin");
  await company.addMember("Uma Employee", "employee");
  const inDays = { Fortnight: 14, 'A|B "ÿ" $(id)\\': 3, Tomorrow: 1, Today: 0, "Two days": 2, Revoked: 3, Replaced: 3 };
  for (const [name, days] of Object.entries(inDays)) {
    const { id } = await makeKey(ada, name);
    if (name === "Revoked") await ada.rpc("revoke_api_key", { key_id: id });
    if (name === "Replaced") await ada.rpc("replace_api_key", { key_id: id, overlap: "7 days" });
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update app.api_keys set expires_at = date_trunc('day', now(), 'UTC') + ${days}::int * interval '1 day' + interval '23 hours',
        assistant = case name when 'Tomorrow' then 'Claude' end where id = ${id}`;
    });
  }
  const { address, env: withPassword } = withoutPassword(stack.database_url);
  const env = {
    ...withPassword,
    DATABASE_URL: address,
    SMTP_URL: `smtp://127.0.0.1:${(mailServer.address() as AddressInfo).port}`,
    MAIL_FROM: "keys@service.example",
    DASHBOARD_URL: stack.dashboard_url,
  };
  await runCommand("sh", [`${root}/scripts/expiry_mail.sh`], { env });
  const mine = received.filter(({ to }) => to.some((address) => address.includes(company.domain)));
  const told = mine.map(({ to, text }) => [
    to.join(),
    ...(/The API key "(.*)" \(sk_live_….{4}\) of Hollis & Rowe works until .*T23:00Z\.\n(.*) in time: /
      .exec(text)
      ?.slice(1) ?? []),
  ]);
  const keys = [
    ["Fortnight", "Replace it"],
    ['A|B "ÿ" $(id)\\', "Replace it"],
    ["Tomorrow", "Connect Claude again"],
  ];
  const expected = ["Ada Brandt", "Ben Osei"].flatMap((admin) =>
    keys.map((said) => [`<${company.emailOf(admin)}>`, ...said]),
  );
  expect(told.sort()).toEqual(expected.sort());
  expect(mine[0]?.from).toBe("<keys@service.example>");
  expect(mine[0]?.text).toContain(`${stack.dashboard_url}/integrations/public-api?view=attention`);
});
