// /reference: the API and the guides as pages for anybody, separate from the dashboard. Each page is watched for
// requests to other hosts and for violations of its Content-Security-Policy (browser.ts).
import { spawnSync } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { makeKey } from "../support/companies.ts";
import { stack } from "../support/stack.ts";
import { narrow, newPage, wide } from "./browser.ts";
import { accessibilityProblems, clipped, expectGoodLooks, showIn } from "./looks.ts";
import { test } from "./scene.ts";
import { clipboard, expectFocus, isOnTop, path, press, says } from "./steps.ts";

const openapi = JSON.parse(readFileSync(`${root}/docs/openapi.json`, "utf8"));
type Method = { operationId: string; summary: string; parameters?: { name: string }[]; responses: object };

const operationOf = (page: Page, id: string) => page.locator(`article#${id}`);
const menuOf = (page: Page) => page.getByRole("navigation", { name: "Reference" });

/** The entry of the menu that leads to an operation or a guide. */
const entryOf = (page: Page, at: string) => menuOf(page).locator(`.entries a[href="/reference/${at}"]`);
/** Where the marked entry of the menu leads. */
const marked = (page: Page) =>
  menuOf(page)
    .locator("[aria-current]")
    .evaluateAll((all) => all.map((link) => link.getAttribute("href")));

async function read(at: string): Promise<string> {
  const response = await fetch(stack.dashboard_url + at);
  expect(response.status, at).toBe(200);
  if (at.endsWith(".md")) expect(response.headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
  return response.text();
}

async function openReference(at = ""): Promise<Page> {
  const page = await newPage();
  await page.goto(`/reference/${at}`);
  await menuOf(page).waitFor();
  return page;
}

test("it can be read without signing in and without scripts: every endpoint with all its parameters, fields, answers and aliases", async () => {
  const page = await newPage({ javaScriptEnabled: false });
  await page.goto("/reference/");
  for (const [name, methods] of Object.entries<Record<string, Method>>(openapi.paths)) {
    for (const [method, { operationId, summary, parameters = [], responses }] of Object.entries(methods)) {
      if (summary.startsWith("Alias of ")) {
        await says(page, `Alias: ${name}, with the same`);
        continue;
      }
      const text = await operationOf(page, operationId).textContent();
      const names = parameters.map((parameter) => parameter.name);
      for (const words of [`${method.toUpperCase()} ${name}`, summary, ...names, ...Object.keys(responses)])
        expect(text, operationId).toContain(words);
    }
  }
  for (const [id, words] of Object.entries({
    listActivity: [
      "Only kudos to this member.",
      "integer from 1 to 1000, 100 by default",
      "receiver_email",
      "Priscilla Adjei",
      'this key is missing the \\"read:activity\\" scope',
      "X-Has-More",
    ],
    importRewards: ["external_id string", "description string or null, optional", "points_cost"],
  }))
    for (const text of words) expect(await operationOf(page, id).textContent()).toContain(text);
  // The frame is there too: header, menu in the page's order with changes below their list, guides, and colors.
  await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
  await entryOf(page, "guides/programs/").waitFor();
  const paths = await menuOf(page).locator(".method + span").allTextContents();
  const inPage = await page.locator("article.operation h3").allTextContents();
  expect(paths).toEqual([...inPage.map((name) => name.split(" ")[1]), "/mcp"]);
  expect(paths.slice(1, 5)).toEqual(["/members", "/members/changes", "/teams", "/teams/changes"]);
  expect(await entryOf(page, "#importRewards").textContent()).toBe("POST /rewards Create or update rewards");
  const ground = await page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
  expect(ground).toBe("rgb(247, 248, 250)");
});

test("the first Tab leads past the menu, and an address that there is not says so", async () => {
  const page = await openReference();
  // What a heading begins stands apart from what is before it.
  const rooms = await page.locator("main").evaluate((main) =>
    [...main.querySelectorAll("h2, article:first-of-type h4")].flatMap((heading) => {
      const part = heading.previousElementSibling ? heading : heading.parentElement;
      const before = part?.previousElementSibling?.getBoundingClientRect();
      return before && before.height > 0 ? [heading.getBoundingClientRect().top - before.bottom] : [];
    }),
  );
  expect(rooms.length).toBeGreaterThan(10);
  expect(Math.min(...rooms)).toBeGreaterThanOrEqual(16);
  await page.keyboard.press("Tab");
  await expectFocus(page, page.getByRole("link", { name: "Skip to the text" }));
  await page.keyboard.press("Enter");
  await expectFocus(page, page.getByRole("main"));
  for (const at of ["/reference/guides/python", "/reference/guides/python/", "/nothing"]) {
    const answer = await page.goto(at);
    expect(answer?.status(), at).toBe(404);
    await page.getByRole("heading", { name: "No such page" }).waitFor();
    await entryOf(page, "guides/programs/").waitFor();
  }
  await expectGoodLooks(page, "no-such-page");
});

test("every endpoint has code to copy, which works, in four languages", async ({ client }) => {
  const { api_key } = await makeKey(client, "Trying", ["read:rewards", "write:rewards"]);
  const env = { ...process.env, PUBLIC_API_KEY: api_key };
  const page = await openReference();
  for (const [id, address, printed] of [
    ["listRewards", `${stack.api_url}/rewards?limit=5`, /\[/],
    ["importRewards", `${stack.api_url}/rewards?dry_run=true`, /["']?imported["']?: *0/],
  ] as const) {
    const operation = operationOf(page, id);
    for (const [language, program = "", ...options] of [
      ["curl", "bash", "-c"],
      // Only the standard library: -I also leaves out the packages that this machine's user has installed.
      ["Python", "python3", "-I", "-c"],
      ["JavaScript", process.execPath, "--input-type=module", "-e"],
      ["PowerShell"],
    ] as const) {
      await operation.getByRole("radio", { name: language }).check();
      const sample = operation.locator(`[data-language=${language}]`);
      await press(sample, "Copy", "Copied");
      const code = await clipboard(page);
      for (const text of [address, "PUBLIC_API_KEY"]) expect(code).toContain(text);
      if (program === "") continue;
      const ran = spawnSync(program, [...options, code], { encoding: "utf8", env });
      expect(ran.stdout, ran.stderr).toMatch(printed);
    }
  }
});

test("what reads can be tried with a key that is checked on entry", async ({ client, admin }) => {
  const { api_key } = await makeKey(client, "Trying", ["read:members"]);
  const page = await openReference("#listMembers");
  const members = operationOf(page, "listMembers");
  const send = members.getByRole("button", { name: "Send" });
  const keyField = members.getByRole("textbox", { name: "API key" });
  expect(await page.getByRole("textbox", { name: "API key" }).count(), "no key field before it is needed").toBe(0);
  await members.getByText("Try it", { exact: true }).click();
  await members.getByLabel("limit", { exact: true }).fill("1");
  await send.click();
  await says(members.getByRole("alert"), "Enter a key that works first.");
  await expectFocus(page, send);
  for (const [entered, said] of [
    [`sk_live_${"x".repeat(38)}`, "This key does not work: it is mistyped, revoked or expired."],
    [` Bearer ${api_key}`, "Trying of Hollis & Rowe: read:members"],
  ] as const) {
    await keyField.fill(entered);
    await says(members.getByRole("status"), said);
    // What was accepted leaves the field, and the focus, where they are.
    await expectFocus(page, keyField);
  }
  for (const [name, value] of Object.entries({ autocomplete: "new-password", "data-1p-ignore": "true" }))
    expect(await keyField.getAttribute(name)).toBe(value);
  const sent = page.waitForRequest((request) => request.url().startsWith(`${stack.api_url}/members`));
  await send.evaluate((button) => button.scrollIntoView({ block: "end" }));
  await send.click();
  expect(new URL((await sent).url()).search).toBe("?limit=1");
  expect((await sent).headers()["x-api-key"]).toBe(api_key);
  await says(members, /^200 X-Request-Id \S+, X-Has-More false$/);
  // Below the edge of the screen, and scrolled to.
  const answer = members.getByRole("form").locator("pre");
  await expect.poll(async () => (await answer.boundingBox())?.y).toBeLessThan(800);
  await says(members, admin.email);
  expect(await members.locator("[data-language=curl]").textContent()).toContain("/members?limit=1");

  await members.getByLabel("limit", { exact: true }).fill("0");
  await send.click();
  await says(members, /^400 X-Request-Id/);
  const activity = operationOf(page, "listActivity");
  await activity.getByText("Try it", { exact: true }).click();
  await says(activity.getByRole("status"), "Trying of Hollis & Rowe: read:members");
  await activity.getByLabel("format").selectOption("csv");
  await press(activity, "Send", /^403 /);
  // The same code makes the others: with all 5,000 elements axe takes a minute.
  await page
    .locator("article.operation:not(#listMembers, #listActivity, #importRewards)")
    .evaluateAll((others) => others.map((other) => other.remove()));
  await expectGoodLooks(page, "reference-tried");

  expect(await page.content()).not.toContain(api_key);
  const stored = () => JSON.stringify({ ...localStorage, ...sessionStorage, ...history.state }) + document.cookie;
  expect(await page.evaluate(stored)).not.toContain("sk_live_");
  await page.reload();
  await members.getByText("Try it", { exact: true }).click();
  expect(await keyField.inputValue()).toBe("");
  expect(await operationOf(page, "importRewards").getByText("Try it", { exact: true }).count()).toBe(0);
});

test("the menu marks where one is, and a guide can be copied", async () => {
  const page = await openReference();
  expect(await marked(page)).toEqual(["/reference/"]);
  // On a slow machine the parts that come near are laid out over several frames.
  const slow = await page.context().newCDPSession(page);
  await slow.send("Emulation.setCPUThrottlingRate", { rate: 8 });
  for (const id of ["listPulseResponses", "listRewards", "http", "listDayRatings"]) {
    await entryOf(page, `#${id}`).click();
    await expect.poll(() => marked(page)).toEqual([`/reference/#${id}`]);
  }
  await slow.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? -1;
  const another = await newPage();
  await another.goto(page.url());
  for (const each of [page, another])
    await expect.poll(() => topOf(operationOf(each, "listDayRatings"))).toSatisfy((y) => y >= 0 && y < 300);
  // Each field has an address, and the samples stay beside the text while it scrolls.
  await another.goto("/reference/#listActivity-field-category");
  await expect.poll(() => marked(another)).toEqual(["/reference/#listActivity"]);
  const activity = operationOf(another, "listActivity");
  await expect.poll(() => topOf(activity.locator("dt", { hasText: "category" }).last())).toBeGreaterThanOrEqual(0);
  await expect.poll(() => topOf(activity.locator("[data-language=curl]"))).toSatisfy((y) => y >= 0 && y < 300);
  await activity.getByRole("link", { name: "message", exact: true }).click();
  await expect.poll(() => new URL(another.url()).hash).toBe("#listActivity-field-message");
  await another.mouse.move(600, 400);
  await another.mouse.wheel(0, 20_000);
  await expect.poll(() => marked(another)).not.toEqual(["/reference/#listActivity"]);
  await showIn(page, { forcedColors: "active" });
  const colours = menuOf(page)
    .getByRole("link")
    .evaluateAll((all) => all.map((each) => getComputedStyle(each).color));
  expect(new Set(await colours).size, "the mark in forced colours").toBe(2);
  await entryOf(page, "guides/sqlite/").click();
  await page.getByRole("heading", { name: "SQLite", level: 1 }).waitFor();
  expect(await page.title()).toBe("A copy in one file (SQLite) · Recognition and rewards");
  await page.getByRole("button", { name: "Copy", exact: true }).first().click();
  await says(page.locator("pre + .copying"), "Copied");
  expect(await clipboard(page)).toBe(await page.locator("article pre").first().textContent());
  await press(page, "Copy as Markdown");
  await says(page.locator(".address"), "Copied");
  expect(await clipboard(page)).toMatch(/^# A copy in one file/);
  await expectGoodLooks(page, "guide");
});

/** What people type, behind what must be among the first three: a heading, what it belongs to, or an address. */
const typed = `
errors: too many requests, 403, forbidden, 401 unauthorized, retry, 429; limits|errors: rate limit; night: cron;
keys|authentication: api key, rotate key, token; authentication: authenticate; csv|export: download csv; lists: next page,
pagination; excel|csv: excel, semicolon, csv excel; excel and power bi: powerbi, power bi; import: import rewards; counts|per
team: top receivers, kudos per month; members: employee list, employee; changes|copy: incremental sync, webhooks; assistants:
chatgpt, mcp; openapi: openapi, swagger; python: python example, pyton; api guide|requests: base url; rewards: include_archived;
activity: kudos sender, receiver_id, thanks; mood|ratings|pulse: mood; errors|scopes: missing scope; metabase: tableau;
errors|keys|check the key: expired`;
/** As above. The search and the pages were not changed for these words. */
const unseen = `
questions|counts|averages: time zone; /rewards: stock; pulse-responses: survey answers; command line: proxy; other tools: postman;
requests: cors, x-request-id; keys: expire key; numbers and dates|csv: decimal comma; warehouses: data warehouse`;

test("the search finds what people type; it is announced, / leads to it, and Enter opens the first", async () => {
  const page = await openReference("guides/programs/");
  const found = menuOf(page).getByRole("list", { name: "Found" }).getByRole("link");
  const said = menuOf(page).getByRole("status");
  await page.mouse.move(600, 400);
  await page.mouse.wheel(0, 20_000);
  await page.keyboard.press("/");
  const search = menuOf(page).getByRole("searchbox");
  await expectFocus(page, search);
  expect(await search.evaluate(isOnTop)).toBe(true);
  /** The heading of what is found, and what it belongs to, with the address. */
  const names = () =>
    found.evaluateAll((all) =>
      all.map((each) => [each.getAttribute("href"), ...[...each.children].slice(0, 2).map((part) => part.textContent)]),
    );
  for (const entry of `${typed};${unseen}`.replaceAll("\n", " ").split(";")) {
    const [answer = "", words = ""] = entry.trim().split(": ");
    for (const text of words.split(", ")) {
      await search.fill(text);
      const best = async () => `${(await names()).slice(0, 3)}`.toLowerCase();
      await expect.poll(best, { message: text }).toMatch(new RegExp(answer));
      expect(await said.textContent(), text).toBe(`${await found.count()} found. Enter opens the first.`);
    }
  }
  await search.fill("key");
  await expect.poll(() => found.count()).toBeGreaterThan(40);
  await search.fill("403");
  await expect.poll(() => found.first().textContent()).toMatch(/^403 Forbidden Errors, API guide the key lacks/);
  expect(await found.nth(1).locator("b").textContent()).toBe("403");
  // The excerpt is the part of the text with most of the words.
  await search.fill("rotate key");
  await expect
    .poll(() => found.first().locator("b").allTextContents())
    .toEqual(expect.arrayContaining(["rotates", "key"]));
  await search.fill("zzyzx");
  await said.getByText("Nothing found.").waitFor();
  await search.fill("python");
  await expect.poll(() => found.first().textContent()).toMatch(/^Python/);
  await expectGoodLooks(page, "reference-search");
  await search.press("Enter");
  await page.getByRole("heading", { name: "Python", level: 1 }).waitFor();
});

test("on each screen a first answer is in sight, no sample is cut, the code of each list is near, and the search stays", async () => {
  const page = await newPage();
  for (const [width, height] of [[390, 844] as const, [1280, 800] as const, [1920, 1080] as const]) {
    await page.setViewportSize({ width, height });
    for (const at of ["guides/programs/", ""]) {
      await page.goto(`/reference/${at}`);
      expect(await clipped(page), `${at} at ${width} px`).toEqual([]);
    }
    const answer = await page.locator("main pre").nth(1).boundingBox();
    expect((answer?.y ?? height) + (answer?.height ?? 0), `${width} px`).toBeLessThan(height);
    const isNear = await page.locator("article.operation").evaluateAll((all) => {
      const topOf = (each: Element | null) => each?.getBoundingClientRect().top ?? Infinity;
      return all.map((each) => topOf(each.querySelector("pre")) - topOf(each) < 2 * innerHeight);
    });
    expect(new Set(isNear), `${width} px`).toEqual(new Set([true]));
    await page.mouse.wheel(0, 20_000);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(5000);
    await expect.poll(() => menuOf(page).getByRole("searchbox").evaluate(isOnTop)).toBe(true);
  }
  // Where the samples are longer than the screen, a bar that is always there says so.
  const bar = (each: Element) => getComputedStyle(each, "::-webkit-scrollbar").width;
  expect(await page.locator(".beside").first().evaluate(bar)).toBe("8px");
});

test("on a narrow screen the menu is one line, which opens over the page until it has led somewhere", async () => {
  const page = await newPage({ viewport: narrow });
  await page.goto("/reference/guides/sqlite/");
  const contents = menuOf(page).getByRole("button", { name: "Contents" });
  const link = entryOf(page, "#listDayRatings");
  await contents.waitFor();
  expect(await link.isVisible()).toBe(false);
  await page.mouse.wheel(0, 2000);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(300);
  expect((await contents.boundingBox())?.y).toBeLessThan(50);
  await contents.focus();
  await page.keyboard.press("Enter");
  await link.waitFor();
  expect(await clipped(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await link.waitFor({ state: "hidden" });
  await expectFocus(page, contents);
  await contents.click();
  await link.click();
  await says(page, "A rating belongs to a team at most, never to a person.");
  await contents.click();
  await link.click();
  await link.waitFor({ state: "hidden" });
});

test("each guide is accessible, its links lead somewhere, and files are downloaded with the project's base address in them", async () => {
  const page = await openReference();
  const links = menuOf(page).getByRole("link");
  const addresses = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).pathname));
  const guides = addresses.filter((address) => address.includes("guides"));
  expect(guides).toEqual(expect.arrayContaining(["/reference/guides/programs/", "/reference/guides/changelog/"]));
  const pages = new Map(await Promise.all(guides.map(async (guide) => [guide, await read(guide)] as const)));
  const offered = new Set<string>();
  const guidePage = await newPage();
  for (const [guide, html] of pages) {
    await guidePage.goto(guide);
    const mark = menuOf(guidePage).locator("[aria-current]");
    await mark.waitFor();
    // Their colours are those of all guides, of which one is looked at above.
    const rules = { "color-contrast": { enabled: false } };
    expect(await accessibilityProblems(guidePage, { rules }), guide).toEqual([]);
    expect((await mark.boundingBox())?.y, `the mark of ${guide} is in sight`).toBeLessThan(wide.height);
    expect(await guidePage.evaluate(() => window.scrollY), `${guide} begins at its header`).toBe(0);
    expect(html.slice(html.indexOf("<main")), guide).not.toMatch(/<style|<img|<[^>]* (?:style|on\w+)=/);
    for (const [link, at = guide, fragment] of html.matchAll(/<a href="(\/[^"#]*)?(?:#([^"]*))?"/g)) {
      const there = pages.get(at) ?? (await read(at));
      if (at.startsWith("/reference/files/")) {
        offered.add(basename(at));
        expect(html).toMatch(new RegExp(`href="${at}"[^>]* download`));
      } else if (at.endsWith("/")) expect(there, `${guide}: ${link}`).toContain("<article");
      if (fragment !== undefined) expect(there, `${guide}: ${link}`).toContain(` id="${fragment}"`);
    }
  }
  for (const file of offered) {
    const [source = ""] = globSync(`docs/connect/{,typescript/}${file}`, { cwd: root });
    const placeholder = "https://<project>.supabase.co/functions/v1/public-api";
    const text = readFileSync(`${root}/${source}`, "utf8").replaceAll(placeholder, stack.api_url);
    expect(await read(`/reference/files/${file}`)).toBe(text);
  }
  const files = readdirSync(`${root}/docs/connect`).filter((file) => /\.(?!md$)\w+$/.test(file));
  expect([...offered].sort()).toEqual([...files, "lists.ts", "package.json"].sort());
});

test("each guide is also Markdown, for readers of this page: its address, and nothing of the repository", async () => {
  const llms = await read("/llms.txt");
  expect(llms).toContain(`The base address is ${stack.api_url}:`);
  for (const line of llms.match(/^- .*$/gm) ?? []) expect(line).toMatch(/^- \[.+\]\(\S+\): (?:[^()]|\([^()]*\)){10,}$/);
  const named = [...llms.matchAll(/\]\((\S+)\)/g)].map(([, at = ""]) => at);
  expect(named).toEqual(expect.arrayContaining(["/reference/openapi.json", "/reference/guides/api.md"]));
  const guides = named.filter((at) => at.endsWith(".md"));
  const texts = await Promise.all(guides.map(read));
  expect(await read("/llms-full.txt")).toBe(texts.join("\n\n"));
  expect(texts.length).toBeGreaterThan(10);
  for (const [place, text] of texts.entries()) {
    const guide = guides[place] ?? "";
    expect(text).toMatch(/^# /);
    for (const [, at = ""] of text.matchAll(/\]\((\/[^)#]+)/g)) expect(at.endsWith("/"), at).toBe(false);
    expect(text, guide).not.toContain("<project>");
    if (guide.includes("changelog")) continue;
    const prose = text.replaceAll(/^```.*?^```/gms, "").replaceAll(/`[^`\n]*`/g, "`code`");
    expect(prose, guide).not.toMatch(/by the tests|this repository|SECURITY|\[[\w/-]+\.md\]/);
    expect(prose, guide).not.toMatch(/\]\((?!\/|https?:|#)/);
  }
});

test("the dashboard leads there and back; the person stays in the header", async ({ admin, browser }) => {
  const page = await browser.newPage();
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  await page.goto(path);
  const link = page.getByRole("link", { name: "API reference" });
  await link.waitFor();
  // But the colours, which both need before anything is drawn.
  expect(loaded.filter((name) => name.includes("reference"))).toEqual(["/reference/colours.js"]);
  await link.click();
  await operationOf(page, "checkKey").waitFor();
  await says(page.getByRole("banner"), admin.email);
  await page.getByRole("link", { name: "Public API" }).waitFor();
  await press(page, "Sign out");
  await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();

  const { servers, ...shown } = await (await fetch(`${stack.dashboard_url}/reference/openapi.json`)).json();
  const { servers: _, ...committed } = openapi;
  expect(shown).toEqual(committed);
  expect(servers).toEqual([{ url: stack.api_url, description: "The base address." }]);
});
