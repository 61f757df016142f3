// scripts/expiry_mail.sh (docs/operate/dashboard.md, Expiry emails), against a stand-in of a mail server.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { root, withoutPassword } from "../../scripts/stack/process.ts";
import { runProgram, workFolder } from "../support/command_line.ts";
import { emptyCompany, makeKey, signedIn } from "../support/companies.ts";
import { sql, stack } from "../support/stack.ts";

type Received = { login: string; from: string; to: string[]; text: string };

const received: Received[] = [];

/** A part of the addresses that the mail server refuses. */
let refused = "nobody at all";

const replies: Record<string, string> = { EHLO: "250-\r\n250 AUTH PLAIN", AUTH: "334 ", DATA: "354 go on" };

/** One connection to a mail server without encryption, which accepts every sign-in, and every other email (RFC 5321). */
async function acceptMails(socket: Socket): Promise<void> {
  const say = (line: string) => socket.write(`${line}\r\n`);
  const lines = createInterface(socket)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => (await lines.next()).value ?? "QUIT";
  const mail: Received = { login: "", from: "", to: [], text: "" };
  say("220 stand-in");
  for (let line = await next(); line !== "QUIT"; line = await next()) {
    const [command = "", , argument = ""] = line.split(/[ :]/);
    say(replies[command] ?? (argument.includes(refused) ? "550 no such mailbox" : "250 ok"));
    if (command === "MAIL") mail.from = argument;
    if (command === "RCPT") mail.to.push(argument);
    if (command === "AUTH") {
      mail.login = Buffer.from(await next(), "base64").toString();
      say("235 ok");
    }
    if (command === "DATA") {
      for (let text = await next(); text !== "."; text = await next()) mail.text += `${text}\n`;
      received.push(mail);
      say("250 ok");
    }
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

const { address, env: withPassword } = withoutPassword(stack.database_url);
const home = workFolder();
writeFileSync(`${home}/.netrc`, "machine 127.0.0.1 login ada password secret\n");
writeFileSync(`${home}/.psqlrc`, "\\x on\n");
const settings = {
  ...withPassword,
  HOME: home,
  DATABASE_URL: address,
  SMTP_URL: `smtp://127.0.0.1:${(mailServer.address() as AddressInfo).port}`,
  MAIL_FROM: "keys@service.example",
  DASHBOARD_URL: stack.dashboard_url,
};
const sendMails = (more = {}) => runProgram("sh", [`${root}/scripts/expiry_mail.sh`], root, { ...settings, ...more });

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
  expect(await sendMails()).toEqual({ code: 0, stdout: "", stderr: "" });
  const mine = received.filter(({ to }) => to.some((address) => address.includes(company.domain)));
  const said = /The API key "(.*)" \(sk_live_….{4}\) of Hollis & Rowe works until .*T23:00Z\.\n(.*) in time: /;
  const told = mine.map(({ to, text }) => [to.join(), ...(said.exec(text)?.slice(1) ?? [])]);
  const keys = { Fortnight: "Replace it", 'A|B "ÿ" $(id)\\': "Replace it", Tomorrow: "Connect Claude again" };
  const expected = ["Ada Brandt", "Ben Osei"].flatMap((admin) =>
    Object.entries(keys).map((words) => [`<${company.emailOf(admin)}>`, ...words]),
  );
  expect(told.sort()).toEqual(expected.sort());
  expect(mine[0]).toMatchObject({ from: "<keys@service.example>", login: "\0ada\0secret" });
  expect(mine[0]?.text).toContain(`${stack.dashboard_url}/integrations/public-api?view=attention`);
  // Gmail refuses mails without these.
  const [ids, dates] = ["Message-ID: <[0-9a-f-]{36}@service.example>", "Date: (.*)"].map((header) =>
    mine.map(({ text }) => new RegExp(`^${header}$`, "m").exec(text)?.at(-1)),
  );
  expect(new Set(ids).size).toBe(expected.length);
  expect(ids).not.toContain(undefined);
  for (const date of dates ?? []) {
    expect(date).toMatch(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000$/);
    expect(Math.abs(Date.parse(date ?? "") - Date.now())).toBeLessThan(600_000);
  }
});

test("a mail that is refused keeps no other back, and is an error", async () => {
  refused = company.emailOf("Ben Osei");
  received.length = 0;
  const { code, stderr } = await sendMails();
  refused = "nobody at all";
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^3 of \d+ expiry emails were not sent: .* 55 .*\n$/)]);
  expect(received.filter(({ to }) => to.join().includes(company.emailOf("Ada Brandt")))).toHaveLength(3);
});

test("a setting that is missing is named", async () => {
  const { code, stderr } = await sendMails({ MAIL_FROM: undefined });
  expect(stderr).toMatch(/^.*: MAIL_FROM: .*\n$/);
  expect(code).not.toBe(0);
});

test.each([
  ["the database is away", { DATABASE_URL: "postgres://postgres:secret@127.0.0.1:1/postgres" }, "DATABASE_URL"],
  ["its address is wrong", { DATABASE_URL: "postgers://postgres:secret@127.0.0.1/postgres" }, "DATABASE_URL"],
  ["the mail server is away", { SMTP_URL: "smtp://name:secret@127.0.0.1:1" }, "SMTP_URL"],
  ["its address is wrong", { SMTP_URL: "smtp://name:secret@127.0.0.1:port" }, "SMTP_URL"],
])("when %s, one line names what failed, without its address", async (_what, more, setting) => {
  const { code, stderr } = await sendMails(more);
  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`^.* sent: .* ended with exit code .*${setting}\\)\n$`));
  expect(stderr).not.toMatch(/secret|127/);
});
