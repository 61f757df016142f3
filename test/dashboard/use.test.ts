// From a new key to its first answer, and what the page shows of a key's use afterwards.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { purposes } from "../../dashboard/src/keys/presets.ts";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { scopes } from "../../functions/public-api/scopes.ts";
import { root } from "../../scripts/stack/process.ts";
import { makeKey } from "../support/companies.ts";
import { call, sql, stack } from "../support/stack.ts";
import { newPage } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";
import { openPage, signedInPage, test } from "./scene.ts";
import {
  chooseIn,
  choosePurpose,
  clipboard,
  copyAndClose,
  createKey,
  filledIn,
  isOnTop,
  openCreateKey,
  press,
  row,
  says,
  signIn,
} from "./steps.ts";

const scopeNames = scopes.map(({ name }) => name);

const by = (program: string) => ({ headers: { "User-Agent": program } });
const mashup = by("Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)");

test("each purpose leads to steps of its own, and the page says when the first request has come", async ({ page }) => {
  const { origin } = new URL(stack.dashboard_url);
  const dialog = page.getByRole("dialog");
  for (const [purpose, guide, step] of [
    ["Power BI or Excel", "excel-and-power-bi", "Copy the query"],
    ["Google Sheets", "google-sheets", "Extensions → Apps Script"],
    ["Nightly copy", "sqlite", "&& public-data-api sync company.sqlite"],
    ["Reward import", "import-rewards", "Rewards → Try, write nothing"],
    ["Assistant (MCP)", "assistants", `claude mcp add --transport http public-data ${stack.api_url}/mcp`],
    ["Something else", "curl", "| curl -H @-"],
  ] as const) {
    await press(page, "Create key");
    await choosePurpose(dialog, purpose);
    await dialog.getByRole("textbox", { name: "Name" }).fill(purpose);
    await dialog.getByRole("checkbox", { name: "read:rewards" }).check();
    await dialog.getByText("Works until").scrollIntoViewIfNeeded();
    await press(dialog, "Create key");
    const key = await dialog.getByLabel("API key").inputValue();
    // Not behind the dialog's bars, though the form was scrolled.
    const warning = dialog.getByText("shown only this once");
    await expect.poll(() => warning.evaluate(isOnTop), { message: purpose }).toBe(true);
    await says(dialog, step);
    await says(dialog, "Waiting for the first request …");
    if (guide === "sqlite")
      await says(dialog, `npm install --global ${origin}/reference/files/public-data-api-cli.tgz`);
    if (guide === "excel-and-power-bi") {
      await press(dialog, "Copy the query");
      await expect.poll(() => clipboard(page)).toContain(`BaseUrl = "${stack.api_url}"`);
    }
    expect(await dialog.textContent(), purpose).not.toContain(key);
    const leads = await dialog.getByRole("link", { name: "The guide for" }).getAttribute("href");
    expect(leads).toBe(`/reference/guides/${guide}/`);
    expect((await fetch(stack.dashboard_url + leads)).status, guide).toBe(200);
    await expectGoodLooks(page, `steps-${guide}`);
    await copyAndClose(page);
  }

  const key = await createKey(page, "Node");
  // An admin's own check is no first request.
  await press(dialog, "Check key");
  await says(dialog, "Node works");
  await says(dialog, "Waiting for the first request …");
  expect((await call("", key, by("node"))).status).toBe(200);
  await dialog
    .getByRole("status")
    .getByText(/^Works: \d\d:\d\d, GET \/, from node$/)
    .waitFor();
  expect(await dialog.getByText("Waiting for").count()).toBe(0);
  await expectGoodLooks(page, "first-request");
  await copyAndClose(page);
});

/** Pastes lines into an interactive bash on a terminal, without bracketed paste as on macOS, and types the key after that. */
const terminal = String.raw`
import os, pty, select, sys, time
lines, key = sys.argv[1], sys.argv[2]
pid, end = pty.fork()
if pid == 0:
    os.execvpe("bash", ["bash", "--norc", "-i"], {**os.environ, "PS1": "$ ", "TERM": "dumb", "HISTFILE": "/dev/null"})
def until(text, seconds=20):
    said, stop = b"", time.time() + seconds
    while text not in said and time.time() < stop:
        if select.select([end], [], [], 0.1)[0]:
            try: said += os.read(end, 65536)
            except OSError: break
    return said
out = until(b"$ ")
os.write(end, lines.replace("\n", "\r").encode() + b"\r")
out += until(b"\nAPI key: ")
time.sleep(0.5)
os.write(end, key.encode() + b"\r")
out += until(b"}")
os.write(end, b"history\rexit\r")
out += until(b"exit\r\n", 5)
sys.stdout.buffer.write(out)
`;

test("a pasted command never shows the key, nor runs it, in a shell without bracketed paste", async ({ page }) => {
  const key = await createKey(page, "Pasted");
  const dialog = page.getByRole("dialog");
  const env = { ...process.env, PATH: `${process.execPath.replace(/\/node$/, "")}:${process.env.PATH}` };
  for (const way of ["Python", "Node", "curl"]) {
    await dialog.getByLabel("Steps for").selectOption(way);
    await press(dialog, "Copy command");
    await expect.poll(() => clipboard(page)).toContain(way === "curl" ? "curl -H" : way.toLowerCase());
    const line = await clipboard(page);
    expect(line).not.toContain("\n");
    const { stdout, stderr } = spawnSync("python3", ["-c", terminal, line, key], { encoding: "utf8", env });
    expect(stdout, way + stderr).toContain('"key_name":"Pasted"');
    expect(stdout.includes(key), `${way} shows the key`).toBe(false);
  }
  await copyAndClose(page);
});

test("a key has one drawer, with an address: its scopes, use, days, history and actions", async ({ client, admin }) => {
  const { id, api_key } = await makeKey(client, "Payroll", ["read:members", "read:rewards"]);
  expect((await call("/members?limit=1", api_key, mashup)).status).toBe(200);
  await sql`update app.api_key_uses set used_on = used_on || (current_date - 3) || (current_date - 29) where key_id = ${id}`;
  const page = await signedInPage(admin);
  expect(await row(page, "Payroll").getByRole("cell").nth(3).textContent()).toBe("just nowPower BI or Excel");
  await press(row(page, "Payroll"), "Payroll");
  const drawer = page.getByRole("dialog", { name: "Payroll" });
  for (const words of [
    "names, email addresses, roles, and teams",
    "just now, GET /members, by Microsoft.Data.Mashup",
    "Used on 3 of 30 days",
    "Ada Brandt created Payroll",
  ])
    await says(drawer, words);
  const days = await drawer.getByRole("img", { name: /^Used/ }).getAttribute("aria-label");
  expect(days).toMatch(/^Used on 3 of 30 days(, \d+ \w+ \d{4}){3}$/);
  await expectGoodLooks(page, "drawer");
  expect(new URL(page.url()).searchParams.get("key")).toBe(id);
  await page.reload();
  await says(drawer, "Used on 3 of 30 days");
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "hidden" });
  expect(new URL(page.url()).search).toBe("");

  // When it has been replaced, the two lead to each other.
  const { data } = await client.rpc("replace_api_key", { key_id: id, overlap: "7 days" });
  await page.reload();
  await press(page.getByRole("row").filter({ hasText: "replaced by" }), "Payroll");
  await drawer.getByText("Replaced by").waitFor();
  await drawer.getByRole("definition").getByRole("button").click();
  await drawer.getByText("Replaces", { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get("key")).toBe((data as { id: string }).id);
  const unknown = await openPage(page.context(), "?key=00000000-0000-0000-0000-000000000000");
  await says(unknown.getByRole("dialog", { name: "No such key" }), "Your company has no key with this id.");
});

test("a request that is refused for a scope is said beside the new key and in the list, with a way on", async ({
  page,
}) => {
  const key = await createKey(page, "Catalogue");
  const dialog = page.getByRole("dialog");
  await says(dialog, "Waiting for the first request …");
  expect((await call("/rewards", key, by("python-requests/2.32.3"))).status).toBe(403);
  await dialog
    .getByRole("status")
    .getByText("A request came and was refused: it needs Rewards read:rewards.")
    .waitFor();
  expect(await dialog.getByText("Waiting for the first request").count()).toBe(0);
  await expectGoodLooks(page, "refused-request");
  await copyAndClose(page);
  await says(row(page, "Catalogue"), "A request came and was refused: it needs Rewards (read:rewards)");
  await row(page, "Catalogue").getByText("refused", { exact: true }).waitFor();
  await says(await chooseIn(row(page, "Catalogue"), "Details"), "GET /rewards, by python-requests/2.32.3, it needs");
  await press(dialog, "Close");
  await press(page, "Create the same again: Catalogue");
  const again = page.getByRole("dialog", { name: "Create key" });
  expect(await filledIn(again)).toEqual(["Catalogue", ["read:members", "read:activity", "read:rewards"], ""]);
});

const reading = ["read:members", "read:activity", "read:rewards", "read:analytics"];

test("every guide that begins with a key leads to the dialog with all of it filled in, signed in or not", async ({
  admin,
}) => {
  const guides = [...(await (await fetch(`${stack.dashboard_url}/llms.txt`)).text()).matchAll(/guides\/([\w-]+)\.md/g)];
  const leads = await Promise.all(
    guides.map(async ([, guide = ""]) => {
      const html = await (await fetch(`${stack.dashboard_url}/reference/guides/${guide}/`)).text();
      const markdown = await (await fetch(`${stack.dashboard_url}/reference/guides/${guide}.md`)).text();
      const links = [...html.matchAll(/href="\/integrations\/public-api\?create=?([^"]*)"/g)].map(
        ([, preset]) => preset,
      );
      expect(
        [...markdown.matchAll(/\]\(\/integrations\/public-api\?create=?([^)]*)\)/g)].map(([, preset]) => preset),
      ).toEqual(links);
      return [guide, [...new Set(links)]];
    }),
  );
  const script = ["nightly-copy"];
  expect(Object.fromEntries(leads)).toEqual({
    "kudos-per-team": ["google-sheets"],
    "excel-and-power-bi": ["power-bi"],
    "google-sheets": ["google-sheets"],
    ...Object.fromEntries(
      ["curl", "powershell", "python", "r", "node", "typescript", "sqlite", "warehouses"].map((guide) => [
        guide,
        script,
      ]),
    ),
    "import-rewards": ["reward-import"],
    "command-line": script,
    assistants: ["assistant"],
    "other-tools": [""],
    api: [""],
    recipes: script,
    "api-reference": [],
    "api-errors": [],
    databases: [],
    changelog: [],
  });
  const page = await newPage();
  const dialog = page.getByRole("dialog", { name: "Create key" });
  for (const [guide, name] of [
    ["excel-and-power-bi", "Power BI or Excel"],
    ["python", "Nightly copy"],
  ] as const) {
    await page.goto(`/reference/guides/${guide}/`);
    await page
      .getByRole("article")
      .getByRole("link", { name: /^(?:Make|Create) a key/ })
      .first()
      .click();
    if (guide === "excel-and-power-bi") await signIn(page, admin);
    await dialog.waitFor();
    expect(await filledIn(dialog)).toEqual([name, reading, "365"]);
    expect(new URL(page.url()).search).toBe("");
  }
});

test("a purpose fills in name, scopes and expiry, and what the person has edited stays", async ({ page }) => {
  const dialog = await openCreateKey(page);
  for (const [choice, ...expected] of [
    ["Google Sheets", "Google Sheets", reading, "365"],
    ["Nightly copy", "Nightly copy", reading, "365"],
    ["Reward import", "Reward import", ["read:rewards", "write:rewards"], "365"],
    ["Assistant (MCP)", "Assistant (MCP)", [], "90"],
    ["Something else", "", ["read:members", "read:activity"], ""],
  ] as const) {
    await choosePurpose(dialog, choice);
    expect(await filledIn(dialog), choice).toEqual(expected);
  }
  await dialog.getByRole("textbox", { name: "Name" }).fill("My own");
  await dialog.getByLabel("Expiry").selectOption("30 days");
  await choosePurpose(dialog, "Reward import");
  expect(await filledIn(dialog)).toEqual(["My own", ["read:rewards", "write:rewards"], "30"]);
  await choosePurpose(dialog, "Assistant (MCP)");
  await says(dialog, "Tick what the assistant may read");
  expect(
    await dialog.getByRole("checkbox").evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value)),
  ).toEqual(reading);
  await press(dialog, "Create key");
  await says(dialog, "Tick at least one");
  await dialog.getByRole("checkbox", { name: "read:members" }).check();
  await press(dialog, "Create key");
  await page.getByRole("dialog", { name: "Key created" }).getByLabel("API key").waitFor();
  expect(
    await sql`select scopes, expires_at > now() + interval '29 days' as lasts from app.api_keys where name = 'My own'`,
  ).toEqual([{ scopes: ["read:members"], lasts: true }]);
});

/** The scopes of the endpoints that the code of a recipe names: `day-ratings` as a path or as the name of a list. */
function scopesNamedIn(file: string): string[] {
  const code = readFileSync(`${root}/docs/connect/${file}`, "utf8");
  const named = endpoints.filter(({ path, scope }) => scope && new RegExp(`["/\\s]${path.slice(1)}\\b`).test(code));
  return scopeNames.filter((name) => named.some(({ method, scope }) => method === "GET" && scope === name));
}

test("the scopes of each purpose are those that the code of its guide needs", () => {
  for (const [purpose, ...files] of [
    ["power-bi", "public-data-api.pq"],
    ["google-sheets", "google-sheets.gs"],
    [
      "nightly-copy",
      "whole.mjs",
      ...["py", "sh", "R"].map((ending) => `public_data_api.${ending}`),
      "PublicDataApi.ps1",
    ],
  ] as const) {
    const needed = new Set(files.flatMap(scopesNamedIn));
    expect(purposes[purpose]?.scopes, purpose).toEqual(scopeNames.filter((scope) => needed.has(scope)));
  }
  expect(purposes["reward-import"]?.scopes).toEqual(["read:rewards", "write:rewards"]);
});
