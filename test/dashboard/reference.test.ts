// /reference: the API and the guides as pages for anybody, separate from the dashboard. Each page is watched for
// requests to other hosts and for violations of its Content-Security-Policy (browser.ts).
import { spawnSync } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { makeKey, signedIn } from "../support/companies.ts";
import { stack } from "../support/stack.ts";
import { eventually, narrow, newPage } from "./browser.ts";
import { clipped, expectGoodLooks } from "./looks.ts";
import { signedInBrowser, test } from "./scene.ts";
import { expectFocus, path } from "./steps.ts";

const openapi = JSON.parse(readFileSync(`${root}/docs/openapi.json`, "utf8"));
type Method = { operationId: string; summary: string; parameters?: { name: string }[]; responses: object };
const operations = Object.entries<Record<string, Method>>(openapi.paths).flatMap(([name, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path: name, ...operation })),
);

const operationOf = (page: Page, id: string) => page.locator(`article#${id}`);
const keyField = (page: Page) => page.getByRole("textbox", { name: "Key for trying out" });
const menuOf = (page: Page) => page.getByRole("navigation", { name: "Reference" });

async function openReference(at = ""): Promise<Page> {
  const page = await newPage();
  await page.goto(`/reference${at}`);
  await operationOf(page, "checkKey").waitFor();
  return page;
}

test("it can be read without signing in: every endpoint with all its parameters, fields, answers and aliases", async () => {
  const page = await openReference();
  for (const { operationId, method, path, summary, parameters = [], responses } of operations) {
    const alias = /^Alias of (\S+)$/.exec(summary)?.[1];
    const shown =
      alias === undefined ? operationOf(page, operationId) : page.getByText(`Alias: ${path}, with the same`);
    expect(await shown.count(), path).toBe(1);
    if (alias !== undefined) continue;
    const text = (await shown.textContent()) ?? "";
    for (const words of [
      `${method} ${path}`,
      summary,
      ...parameters.map(({ name }) => name),
      ...Object.keys(responses),
    ])
      expect(text, operationId).toContain(words);
  }
  const activity = operationOf(page, "listActivity");
  const texts = [
    "Only kudos to this member.",
    "integer from 1 to 1000, 100 by default",
    "receiver_email",
    "Priscilla Adjei",
  ];
  for (const text of [...texts, 'this key is missing the \\"read:activity\\" scope', "X-Has-More"])
    expect(await activity.textContent()).toContain(text);
  expect(await operationOf(page, "importRewards").textContent()).toContain("external_id");
});

test("every endpoint has code in four languages to copy, which works and takes the key from the environment", async ({
  admin,
}) => {
  const { api_key } = await makeKey(await signedIn(admin), "Trying", ["read:rewards", "write:rewards"]);
  const env = { ...process.env, PUBLIC_API_KEY: api_key };
  const page = await openReference();
  for (const [id, address, printed] of [
    ["listRewards", `${stack.api_url}/rewards?limit=5`, /\[/],
    ["importRewards", `${stack.api_url}/rewards`, /imported/],
  ] as const) {
    const operation = operationOf(page, id);
    const code: Record<string, string> = {};
    for (const language of ["curl", "Python", "JavaScript", "PowerShell"]) {
      await operation.getByRole("tab", { name: language }).click();
      await operation.getByRole("tabpanel").getByRole("button", { name: "Copy" }).click();
      await operation.getByRole("tabpanel").getByText("Copied").waitFor();
      code[language] = await page.evaluate(() => navigator.clipboard.readText());
      for (const text of [address, "PUBLIC_API_KEY"]) expect(code[language]).toContain(text);
    }
    for (const [program, options, language] of [
      ["bash", ["-c"], "curl"],
      // Only the standard library: -I also leaves out the packages that this machine's user has installed.
      ["python3", ["-I", "-c"], "Python"],
      [process.execPath, ["--input-type=module", "-e"], "JavaScript"],
    ] as const) {
      const ran = spawnSync(program, [...options, code[language] ?? ""], { encoding: "utf8", env });
      expect(ran.stdout, ran.stderr).toMatch(printed);
    }
  }
});

test("what reads can be tried with a key that is checked on entry and stays in memory; an import cannot", async ({
  admin,
}) => {
  const { api_key } = await makeKey(await signedIn(admin), "Trying", ["read:members"]);
  const page = await openReference("#listMembers");
  const members = operationOf(page, "listMembers");
  const send = members.getByRole("button", { name: "Send" });
  await members.getByText("Try it", { exact: true }).click();
  await members.getByLabel("limit", { exact: true }).fill("1");
  await send.click();
  await members.getByRole("alert").getByText("Enter a key that works in the bar above.").waitFor();
  await expectFocus(page, send);

  for (const [entered, said] of [
    [`${api_key.slice(0, -1)}ü`, "This is not a whole key"],
    [`sk_live_${"x".repeat(38)}`, "This key does not work: it is mistyped, revoked or expired."],
    [` Bearer ${api_key}`, "Trying of Hollis & Rowe: read:members"],
  ] as const) {
    await keyField(page).fill(entered);
    await page.getByRole("status").getByText(said).waitFor();
  }
  const asked = page.waitForRequest((request) => request.url().startsWith(`${stack.api_url}/members`));
  await send.click();
  expect(new URL((await asked).url()).search).toBe("?limit=1");
  expect((await asked).headers()["x-api-key"]).toBe(api_key);
  await members.getByText(/^200 X-Request-Id \S+, X-Has-More false$/).waitFor();
  await members.getByText(admin.email).waitFor();
  expect(await members.getByRole("tabpanel").textContent()).toContain("/members?limit=1");

  await members.getByLabel("limit", { exact: true }).fill("0");
  await send.click();
  await members.getByText(/^400 X-Request-Id/).waitFor();
  const teams = operationOf(page, "listActivity");
  await teams.getByText("Try it", { exact: true }).click();
  await teams.getByLabel("format").selectOption("csv");
  await teams.getByRole("button", { name: "Send" }).click();
  await teams.getByText(/^403 /).waitFor();
  await expectGoodLooks(page, "reference-tried");

  expect(await page.content()).not.toContain(api_key);
  const stored = () => JSON.stringify({ ...localStorage, ...sessionStorage, ...history.state }) + document.cookie;
  expect(await page.evaluate(stored)).not.toContain("sk_live_");
  await page.reload();
  expect(await keyField(page).inputValue()).toBe("");
  expect(await operationOf(page, "importRewards").getByText("Try it", { exact: true }).count()).toBe(0);
});

test("the menu marks where one is, and its search finds endpoints, parameters, guides and their sections", async () => {
  const page = await openReference();
  const marked = () => menuOf(page).locator("[aria-current]").allTextContents();
  expect(await marked()).toEqual(["Overview"]);
  await menuOf(page).getByRole("link", { name: "GET /day-ratings" }).click();
  await eventually(marked).toEqual(["GET /day-ratings"]);
  const top = async () => (await operationOf(page, "listDayRatings").boundingBox())?.y ?? -1;
  await eventually(async () => (await top()) >= 0 && (await top()) < 300).toBe(true);
  const another = await newPage();
  await another.goto(page.url());
  await eventually(async () => (await operationOf(another, "listDayRatings").boundingBox())?.y ?? 9999).toBeLessThan(
    300,
  );

  const search = menuOf(page).getByRole("searchbox");
  const found = () => menuOf(page).getByRole("link").allTextContents();
  await search.fill("include_archived");
  await eventually(found).toEqual(["GET /rewards"]);
  await search.fill("kudos sender");
  await eventually(found).toContain("GET /activity");
  await search.fill("python one page");
  await eventually(found).toEqual(["Python: One page"]);
  await menuOf(page).getByRole("link").click();
  await page.getByRole("heading", { name: "Python", level: 1 }).waitFor();
  expect(await page.title()).toBe("Python · Recognition and rewards");
  await page.locator("article pre").first().waitFor();
  await page.getByRole("button", { name: "Copy" }).first().click();
  await page.getByRole("status").getByText("Copied").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    await page.locator("article pre").first().textContent(),
  );
  await expectGoodLooks(page, "guide");
});

test("on a narrow screen the menu is one line that stays in sight, opens over the page, and closes when it has led somewhere", async () => {
  for (const [address, viewport] of [
    ["/reference/", narrow],
    ["/reference/guides/python/", { width: 768, height: 1024 }],
  ] as const) {
    const page = await newPage({ viewport });
    await page.goto(address);
    const contents = menuOf(page).getByText("Contents", { exact: true });
    const link = menuOf(page).getByRole("link", { name: "GET /day-ratings" });
    await contents.waitFor();
    expect(await link.isVisible()).toBe(false);
    await page.mouse.wheel(0, 2000);
    await eventually(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(500);
    expect((await contents.boundingBox())?.y).toBeLessThan(50);
    await contents.focus();
    await page.keyboard.press("Enter");
    await link.waitFor();
    expect(await clipped(page)).toEqual([]);
    await link.click();
    await page.getByText("A rating belongs to a team at most, never to a person.").first().waitFor();
    await link.waitFor({ state: "hidden" });
  }
});

test("each guide's links lead somewhere, and files are downloaded with the project's base address in them", async () => {
  const page = await openReference();
  const addresses = await menuOf(page)
    .getByRole("link")
    .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).pathname));
  const guides = addresses.filter((address) => address.startsWith("/reference/guides/"));
  expect(guides).toEqual(expect.arrayContaining(["/reference/guides/python/", "/reference/guides/changelog/"]));
  const offered = new Set<string>();
  for (const guide of guides) {
    await page.goto(guide);
    await page.locator("article h1").waitFor();
    const dead = await page.locator("article a").evaluateAll(async (all) => {
      const isDead = async ({ pathname, hash }: HTMLAnchorElement): Promise<boolean> => {
        const response = await fetch(pathname);
        const there = new DOMParser().parseFromString(await response.text(), "text/html");
        if (!response.ok || (pathname.endsWith("/") && !there.querySelector("article"))) return true;
        return hash !== "" && !there.getElementById(hash.slice(1));
      };
      const own = (all as HTMLAnchorElement[]).filter(({ origin }) => origin === window.location.origin);
      const found = await Promise.all(own.map(async (link) => ((await isDead(link)) ? [link.href] : [])));
      return found.flat();
    });
    expect(dead, guide).toEqual([]);
    for (const link of await page.locator("article a[download]").all()) {
      const file = basename((await link.getAttribute("href")) ?? "");
      if (offered.has(file)) continue;
      offered.add(file);
      const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
      expect(download.suggestedFilename()).toBe(file);
      const [source = ""] = globSync(`docs/connect/{,typescript/}${file}`, { cwd: root });
      const placeholder = "https://<project>.supabase.co/functions/v1/public-api";
      const text = readFileSync(`${root}/${source}`, "utf8").replaceAll(placeholder, stack.api_url);
      expect(readFileSync(await download.path(), "utf8")).toBe(text);
    }
  }
  const files = readdirSync(`${root}/docs/connect`).filter((file) => /\.(?!md$)\w+$/.test(file));
  expect([...offered].sort()).toEqual([...files, "package.json"].sort());
});

test("the dashboard leads there and back, with the person and Sign out in the header; openapi.json is there to take", async ({
  admin,
}) => {
  const page = await (await signedInBrowser(admin)).newPage();
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  await page.goto(path);
  const link = page.getByRole("link", { name: "API reference" });
  await link.waitFor();
  expect(loaded.filter((name) => name.includes("reference"))).toEqual([]);
  await link.click();
  await operationOf(page, "checkKey").waitFor();
  await page.getByRole("banner").getByText(admin.email).waitFor();
  await page.getByRole("link", { name: "Public API" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();

  const policies = await Promise.all(
    [path, "/reference/", "/reference/guides/curl/"].map(async (at) => {
      const html = await (await fetch(stack.dashboard_url + at)).text();
      return /"Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1]?.replaceAll("&#39;", "'");
    }),
  );
  expect(policies[0]).toContain("script-src 'self';");
  expect(new Set(policies).size).toBe(1);

  const { servers, ...shown } = await (await fetch(`${stack.dashboard_url}/reference/openapi.json`)).json();
  const { servers: _, ...committed } = openapi;
  expect(shown).toEqual(committed);
  expect(servers).toEqual([{ url: stack.api_url, description: "The base address." }]);
});
