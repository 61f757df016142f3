// From a new key to its first answer, and what the page shows of a key's use afterwards.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { workFolder } from "../support/command_line.ts";
import { makeKey } from "../support/companies.ts";
import { call, sql, stack } from "../support/stack.ts";
import { narrow, newPage, translateEachPage } from "./browser.ts";
import { chooseIn, choosePurpose, copyAndClose, createKey, filledIn, openCreateKey, row, ticked } from "./key_steps.ts";
import { expectGoodLooks } from "./looks.ts";
import { openPage, signedInPage, test } from "./scene.ts";
import { clipboard, isOnTop, leave, openHistory, press, says, signIn } from "./steps.ts";

translateEachPage();

const reading = ["read:members", "read:activity", "read:rewards", "read:analytics"];

const by = (program: string) => ({ headers: { "User-Agent": program } });
const mashup = by("Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)");

test("each purpose fills in a key and leads to its own steps, until the first request has come", async ({
  browser,
}) => {
  await browser.clock.install();
  const page = await openPage(browser);
  const { origin } = new URL(stack.dashboard_url);
  const dialog = page.getByRole("dialog");
  const importing = ["read:rewards", "write:rewards"];
  await page.route("**/google-sheets.gs", (route) => route.abort(), { times: 1 });
  for (const [purpose, scopes, days, guide, step] of [
    ["Power BI or Excel", reading, "365", "excel-and-power-bi", "Copy the query"],
    ["Google Sheets", reading, "365", "google-sheets", "Extensions › Apps Script"],
    ["Nightly copy", reading, "365", "sqlite", "&& public-data-api sync company.sqlite"],
    ["Reward import", importing, "365", "import-rewards", "Rewards › Try, write nothing"],
    ["Assistant (MCP)", [], "90", "assistants", `claude mcp add --transport http public-data ${stack.api_url}/mcp`],
    ["Something else", ["read:members", "read:activity"], "", "programs", "| curl -H @-"],
  ] as const) {
    await press(page, "Create key");
    if (guide === "assistants") {
      await dialog.getByRole("button", { name: /^Assistant/ }).click();
      await dialog.waitFor({ state: "hidden" });
      await press(page, "Create a key for a program that takes one");
    } else await choosePurpose(dialog, purpose);
    const name = purpose === "Something else" ? "" : purpose;
    expect(await filledIn(dialog)).toEqual([name, scopes, days]);
    await dialog.getByRole("textbox", { name: "Name" }).fill(purpose);
    if (guide === "assistants") {
      // No scope is ticked unasked, and only those that read are offered.
      await says(dialog, "Tick what the assistant may read");
      expect(await dialog.getByRole("checkbox").count()).toBe(reading.length);
      await press(dialog, "Create key", "Tick at least one");
    }
    await dialog.getByRole("checkbox", { name: "read:rewards" }).check();
    await dialog.getByText("Works until").scrollIntoViewIfNeeded();
    await press(dialog, "Create key");
    const key = await dialog.getByLabel("API key").inputValue();
    // Not behind the dialog's bars, though the form was scrolled.
    const warning = dialog.getByText("shown only this once");
    await expect.poll(() => warning.evaluate(isOnTop), { message: purpose }).toBe(true);
    await says(dialog, step, "Waiting for the first request …");
    if (guide === "sqlite")
      await says(dialog, `npm install --global ${origin}/reference/files/public-data-api-cli.tgz`);
    if (guide === "excel-and-power-bi") {
      await press(dialog, "Copy the query");
      await expect.poll(() => clipboard(page)).toContain(`BaseUrl = "${stack.api_url}"`);
    }
    if (guide === "import-rewards" || guide === "google-sheets") {
      if (guide === "google-sheets") await press(dialog, "Try again");
      await press(dialog, "Copy the script");
      await expect.poll(() => clipboard(page)).toContain(`BASE_ADDRESS = "${stack.api_url}"`);
    }
    expect(await dialog.textContent(), purpose).not.toContain(key);
    const leads = await dialog.getByRole("link", { name: "The guide for" }).getAttribute("href");
    expect(leads).toBe(`/reference/guides/${guide}/`);
    expect((await fetch(stack.dashboard_url + leads)).status, guide).toBe(200);
    await expectGoodLooks(page, `steps-${guide}`);
    await press(dialog, "Copy for a colleague");
    await expect.poll(() => clipboard(page)).toContain(`Base address: ${stack.api_url}\n`);
    expect(await clipboard(page)).toContain(`${origin}${leads}`);
    expect(await clipboard(page)).not.toContain(key);
    await copyAndClose(page);
    await page.getByRole("tab", { name: "Keys" }).click();
  }

  // Another purpose keeps what the person has edited.
  await openCreateKey(page, "Node");
  await dialog.getByLabel("Expiry").selectOption("30 days");
  await choosePurpose(dialog, "Reward import");
  expect(await filledIn(dialog)).toEqual(["Node", importing, "30"]);
  await press(dialog, "Create key");
  const key = await dialog.getByLabel("API key").inputValue();
  // An admin's own check is no first request.
  await press(dialog, "Check key", "Node works", "Waiting for the first request …");
  expect((await call("", key, by("node"))).status).toBe(200);
  await browser.clock.fastForward(4000);
  await says(dialog.getByRole("status"), /^Works: \d\d:\d\d, GET \/, from node$/);
  expect(await dialog.getByText("Waiting for").count()).toBe(0);
  await expectGoodLooks(page, "first-request");
  // Somebody has the key, so nothing is asked.
  await leave(dialog, "Done");
});

const folder = workFolder();

test("a pasted command never shows the key, nor runs it, in a shell without bracketed paste", async ({ page }) => {
  const key = await createKey(page, "Pasted");
  const dialog = page.getByRole("dialog");
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HISTFILE: "/dev/null" };
  // The key is typed at the prompt, and the other lines when there is an answer.
  const options = { encoding: "utf8", env, input: [key, "history", "printf '<%s>' e''nd"].join("\n") } as const;
  for (const way of ["Python", "Node", "curl"]) {
    await dialog.getByLabel("Steps for").selectOption(way);
    await press(dialog, "Copy command");
    await expect.poll(() => clipboard(page)).toContain(way === "curl" ? "curl -H" : way.toLowerCase());
    const line = await clipboard(page);
    expect(line).not.toContain("\n");
    writeFileSync(`${folder}/pasted`, `${line}\n`);
    const args = [`${root}/test/support/paste.py`, `${folder}/pasted`, "\nAPI key: ", "ready> ", "ready> "];
    const { stdout, stderr } = spawnSync("python3", args, options);
    expect(stdout, way + stderr).toContain('"key_name":"Pasted"');
    expect(stdout.includes(key), `${way} shows the key`).toBe(false);
  }
  await copyAndClose(page);
});

test("a key has one drawer, with an address: its scopes, use, days, history and actions", async ({ client, admin }) => {
  const { id, api_key } = await makeKey(client, "Payroll", ["read:members", "read:rewards"]);
  expect((await call("/members?limit=1", api_key, mashup)).status).toBe(200);
  // A use from before there were numbers, and a day with refusals.
  await sql`update app.api_key_uses set used_on = (current_date - 29) || used_on, refusals[27] = 4 where key_id = ${id}`;
  const page = await signedInPage(admin);
  const lastUse = await row(page, "Payroll").getByRole("cell").nth(3).textContent();
  expect(lastUse).toBe("Last usedjust now · Power BI or Excel");
  await press(row(page, "Payroll"), "Payroll");
  const drawer = page.getByRole("dialog", { name: "Payroll" });
  await says(drawer, "names, email addresses, roles, and teams", "just now, GET /members, by Microsoft.Data.Mashup");
  await says(drawer, "Called on 3 of 30 days: at least 2 answers, 4 refused", "Ada Brandt created Payroll");
  expect(await drawer.getByText("Refused import").count()).toBe(0);
  const days = drawer.getByRole("img", { name: /^Called/ });
  const day = String.raw`; \d+ \w+ \d{4}: `;
  const label = new RegExp(`^Called on 3 of 30 days${day}1 answer${day}4 refused${day}1 answer$`);
  expect(await days.getAttribute("aria-label")).toMatch(label);
  const heights = await days.locator("i").evaluateAll((bars) => {
    const heightOf = (bar: Element, part: string) => Math.round(parseFloat(getComputedStyle(bar, part).height));
    return bars.map((bar) => `${heightOf(bar, "::before")} and ${heightOf(bar, "::after")}`);
  });
  expect(heights).toHaveLength(30);
  expect([0, 1, 26, 29].map((place) => heights[place])).toEqual(["10 and 0", "0 and 0", "0 and 39", "10 and 0"]);
  await press(drawer, "Copy for a colleague");
  await expect.poll(() => clipboard(page)).toContain("/reference/guides/excel-and-power-bi/");
  await expectGoodLooks(page, "drawer");
  expect(new URL(page.url()).searchParams.get("key")).toBe(id);
  await page.reload();
  await says(drawer, "Called on 3 of 30 days");
  await leave(drawer, "Escape");
  expect(new URL(page.url()).search).toBe("");

  // When it has been replaced, the two lead to each other.
  const { data } = await client.rpc("replace_api_key", { key_id: id, overlap: "7 days" });
  await page.reload();
  await press(page.getByRole("row").filter({ hasText: "replaced by" }), "Payroll");
  await drawer.getByText("Replaced by").waitFor();
  await drawer.getByRole("definition").getByRole("button").click();
  await drawer.getByText("Replaces", { exact: true }).waitFor();
  const next = new URL(page.url()).searchParams.get("key");
  expect(next).toBe((data as { id: string }).id);

  // A title of several lines keeps away from Close.
  await client.rpc("rename_api_key", { key_id: next, name: "l".repeat(100) });
  await page.setViewportSize(narrow);
  await page.reload();
  const right = await page.getByRole("heading", { name: /^l+$/ }).evaluate((title) => {
    const text = document.createRange();
    text.selectNodeContents(title);
    return text.getBoundingClientRect().right;
  });
  const close = await page.getByRole("dialog").getByRole("button", { name: "Close" }).boundingBox();
  expect((close?.x ?? 0) - right).toBeGreaterThan(8);
  const unknown = await openPage(page.context(), "?key=00000000-0000-0000-0000-000000000000");
  await says(unknown.getByRole("dialog", { name: "No such key" }), "Your company has no key with this id.");
});

test("a key that lacks a scope is replaced by one that has it, and warns until that one is used", async ({
  client,
  browser,
}) => {
  await browser.clock.install();
  const page = await openPage(browser);
  const key = await createKey(page, "Catalogue");
  const dialog = page.getByRole("dialog");
  await says(dialog, "Waiting for the first request …");
  // It asks for this key alone.
  const [asked] = await Promise.all([page.waitForRequest("**/rpc/list_api_keys"), browser.clock.fastForward(4000)]);
  expect(asked.postDataJSON()).toEqual({ key_id: expect.any(String) });
  expect((await call("/rewards", key, by("python-requests/2.32.3"))).status).toBe(403);
  await browser.clock.fastForward(4000);
  await says(dialog.getByRole("status"), "A request came and was refused: it needs Rewards read:rewards.");
  expect(await dialog.getByText("Waiting for the first request").count()).toBe(0);
  await expectGoodLooks(page, "refused-request");
  await copyAndClose(page);
  const needs = "A request by python-requests was refused: it needs Rewards";
  await chooseIn(row(page, "Catalogue"), "Details");
  await says(dialog, "GET /rewards, by python-requests/2.32.3, it needs", needs);
  await press(dialog, "Replace with other scopes: Catalogue", "A request was refused without it");
  expect(await ticked(dialog)).toEqual(["read:members", "read:activity", "read:rewards"]);
  await expectGoodLooks(page, "replace-with-other-scopes");
  await press(dialog, "Replace key");
  // The steps of the program that called.
  expect(await dialog.getByLabel("Steps for").inputValue()).toBe("python");
  const next = await copyAndClose(page);
  const [hint, nextHint] = [key, next].map((each) => `sk_live_…${each.slice(-4)}`);
  await says(page, `${needs}, and ${nextHint}, which replaces it, is not used yet`, `replaces ${hint}, with Rewards`);
  // It may be replaced again before anything uses it.
  const [{ id }] = (await sql`select id from app.api_keys where hint = ${nextHint ?? ""}`) as [{ id: string }];
  const { data: last } = await client.rpc("replace_api_key", { key_id: id });
  expect((await call("/rewards", last.api_key, by("python-requests/2.32.3"))).status).toBe(200);
  await expect.poll(() => sql`select from app.api_key_uses where key_id = ${last.id}`).toHaveLength(1);
  await page.reload();
  await row(page, "Catalogue").first().waitFor();
  expect(await page.getByText(needs).count()).toBe(0);
  const entry = (await openHistory(page)).getByRole("listitem").filter({ hasText: "with Rewards" });
  await says(entry, "People, Kudos, Rewards");
});

test("every guide that needs a key leads to the dialog with all of it filled in, signed in or not", async ({
  admin,
}) => {
  const guides = [...(await (await fetch(`${stack.dashboard_url}/llms.txt`)).text()).matchAll(/guides\/([\w-]+)\.md/g)];
  const leads = await Promise.all(
    guides.map(async ([, guide = ""]) => {
      const html = await (await fetch(`${stack.dashboard_url}/reference/guides/${guide}/`)).text();
      const markdown = await (await fetch(`${stack.dashboard_url}/reference/guides/${guide}.md`)).text();
      const [links, inMarkdown] = [html, markdown].map((text) =>
        Array.from(text.matchAll(/["(]\/integrations\/public-api\?create=?([^")]*)[")]/g), ([, preset]) => preset),
      );
      expect(inMarkdown).toEqual(links);
      return [guide, [...new Set(links)]];
    }),
  );
  const script = ["nightly-copy"];
  const scripts = ["programs", "sqlite", "warehouses"];
  expect(Object.fromEntries(leads)).toEqual({
    "kudos-per-team": ["google-sheets"],
    "excel-and-power-bi": ["power-bi"],
    "google-sheets": ["google-sheets"],
    ...Object.fromEntries(scripts.map((name) => [name, script])),
    "import-rewards": ["reward-import"],
    "command-line": script,
    assistants: ["assistant"],
    "other-tools": [""],
    api: [""],
    recipes: script,
    "api-errors": [],
    keys: [],
    databases: [],
    changelog: [],
  });
  const page = await newPage();
  const dialog = page.getByRole("dialog", { name: "Create key" });
  for (const isSignedIn of [false, true]) {
    await page.goto("/reference/guides/excel-and-power-bi/");
    await page.getByRole("article").getByRole("link", { name: "Create a key" }).first().click();
    if (!isSignedIn) await signIn(page, admin);
    await dialog.waitFor();
    expect(await filledIn(dialog)).toEqual(["Power BI or Excel", reading, "365"]);
    expect(new URL(page.url()).search).toBe("");
  }
});
