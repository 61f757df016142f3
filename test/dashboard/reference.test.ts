// /reference: the OpenAPI document as a page for anybody, separate from the dashboard. Each page is watched for
// requests to other hosts and for violations of its Content-Security-Policy (browser.ts).
import { spawnSync } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { type Company, emptyCompany, makeKey, signedIn } from "../support/companies.ts";
import { stack } from "../support/stack.ts";
import { newPage } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";
import { signedInBrowser } from "./scene.ts";
import { path } from "./steps.ts";

const openapi = JSON.parse(readFileSync(`${root}/docs/openapi.json`, "utf8"));

let company: Company;
beforeEach(async () => {
  company = await emptyCompany("Reader & Sons");
  return () => company.remove();
});

const keyOf = async (scopes: string[]) =>
  makeKey(await signedIn(await company.addPerson("Ada Brandt", "admin")), "Trying", scopes);

test("it can be read without signing in: every endpoint, and of one its parameters, fields and examples", async () => {
  const page = await newPage();
  await page.goto("/reference");
  for (const [name, methods] of Object.entries<Record<string, { summary: string }>>(openapi.paths)) {
    for (const [method, { summary }] of Object.entries(methods)) {
      if (summary.startsWith("Alias of ")) continue;
      const operation = page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${name}"]`) });
      await operation.getByText(summary, { exact: true }).waitFor();
    }
  }
  await page.locator('[data-path="/activity"]').click();
  const activity = page.locator("#operations-Activity-listActivity");
  for (const text of ["escape_formulas", "Only kudos to this member.", "X-Has-More", "Priscilla Adjei"]) {
    await activity.getByText(text).first().waitFor();
  }
  await activity.getByText('Forbidden: this key is missing the \\"read:activity\\" scope').waitFor();
});

test("an alias is told at the endpoint that it stands for, and is no endpoint of its own", async () => {
  const page = await newPage();
  await page.goto("/reference/#/Members/listMembers");
  await page.getByText("Alias: /users, with the same parameters and the same answer.").waitFor();
  expect(await page.locator('[data-path="/users"]').count()).toBe(0);
  expect(await page.getByText("Alias of").count()).toBe(0);
});

test("every endpoint has code in four languages, which says the address, and takes the key from the environment", async () => {
  const page = await newPage();
  await page.goto("/reference/");
  const { api_key } = await keyOf(["read:rewards", "write:rewards"]);
  for (const [id, address] of [
    ["Rewards-listRewards", `${stack.api_url}/rewards?limit=5`],
    ["Rewards-importRewards", `${stack.api_url}/rewards`],
  ]) {
    const operation = page.locator(`#operations-${id}`);
    await operation.getByRole("button").first().click();
    const code = operation.getByRole("region", { name: "Code" });
    for (const language of ["curl", "Python", "JavaScript", "PowerShell"]) {
      await code.getByRole("radio", { name: language }).check();
      await code.getByText(address ?? "").waitFor();
      expect(await code.locator("pre").textContent()).toContain("PUBLIC_API_KEY");
    }
    for (const [language, command] of [
      ["curl", "bash -c"],
      // Only the standard library: -I also leaves out the packages that this machine's user has installed.
      ["Python", "python3 -I -c"],
    ] as const) {
      await code.getByRole("radio", { name: language }).check();
      const text = (await code.locator("pre").textContent()) ?? "";
      const [program = "", ...options] = command.split(" ");
      const ran = spawnSync(program, [...options, text], {
        encoding: "utf8",
        env: { ...process.env, PUBLIC_API_KEY: api_key },
      });
      expect(ran.stdout, ran.stderr).toMatch(id === "Rewards-importRewards" ? /imported/ : /\[/);
    }
    await code.getByRole("radio", { name: "JavaScript" }).check();
    const script = (await code.locator("pre").textContent()) ?? "";
    const ran = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
      env: { ...process.env, PUBLIC_API_KEY: api_key },
    });
    expect(ran.stdout, ran.stderr).toMatch(id === "Rewards-importRewards" ? /imported/ : /\[/);
  }
});

test("what reads can be tried with a key that stays in memory; an import cannot", async () => {
  const { api_key } = await keyOf(["read:members"]);
  const page = await newPage();
  await page.goto("/reference/#/Members/listMembers");
  await page.getByText(`Base address: ${stack.api_url}`, { exact: true }).waitFor();
  await page.getByLabel("Key for trying out").fill(api_key);
  const members = page.locator("#operations-Members-listMembers");
  await members.getByRole("button", { name: "Try it out" }).click();
  await members.getByPlaceholder("limit").fill("1");
  const asked = page.waitForRequest((request) => request.url().startsWith(`${stack.api_url}/members`));
  await members.getByRole("button", { name: "Execute" }).click();
  expect(new URL((await asked).url()).searchParams.get("limit")).toBe("1");
  expect((await asked).headers()["x-api-key"]).toBe(api_key);
  await members.getByText("Ada Brandt").first().waitFor();
  await expectGoodLooks(page, "reference-tried");
  expect(await page.content()).not.toContain(api_key);
  const stored = () => JSON.stringify({ ...localStorage, ...sessionStorage, ...history.state }) + document.cookie;
  expect(await page.evaluate(stored)).not.toContain("sk_live_");
  await page.reload();
  expect(await page.getByLabel("Key for trying out").inputValue()).toBe("");

  await page.goto("/reference/#/Rewards/importRewards");
  await page.locator("#operations-Rewards-importRewards").getByText("external_id").first().waitFor();
  const importing = page.locator("#operations-Rewards-importRewards");
  expect(await importing.getByRole("button", { name: "Try it out" }).count()).toBe(0);
});

test("the menu leads to every endpoint, guide and the change log, and each guide's links lead somewhere", async () => {
  const page = await newPage();
  await page.goto("/reference/");
  await page.getByRole("navigation", { name: "Reference" }).getByRole("link", { name: "GET /day-ratings" }).click();
  await page.getByText("A rating belongs to a team at most, never to a person.").waitFor();
  const links = page.getByRole("navigation", { name: "Reference" }).getByRole("link");
  const addresses = await links.evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).pathname));
  const guides = [...new Set(addresses)].filter((address) => address.startsWith("/reference/guides/"));
  expect(guides).toEqual(expect.arrayContaining(["/reference/guides/python/", "/reference/guides/changelog/"]));
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
  }
  await page.goto("/reference/guides/python/");
  await expectGoodLooks(page, "guide");
});

test("what a recipe links to in its folder besides pages is a file to download, with the project's base address", async () => {
  const page = await newPage();
  const files = globSync(["*.{json,pq}", "typescript/package.json"], { cwd: `${root}/docs/connect` });
  expect(files).toHaveLength(3);
  for (const file of files) {
    const guides = readdirSync(`${root}/docs/connect`).filter(
      (name) => name.endsWith(".md") && readFileSync(`${root}/docs/connect/${name}`, "utf8").includes(`](${file})`),
    );
    expect(guides, file).not.toEqual([]);
    const text = readFileSync(`${root}/docs/connect/${file}`, "utf8");
    for (const guide of guides) {
      await page.goto(`/reference/guides/${basename(guide, ".md")}/`);
      const link = page.locator(`article a[download][href$="/${basename(file)}"]`).first();
      const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
      expect(download.suggestedFilename()).toBe(basename(file));
      const placeholder = "https://<project>.supabase.co/functions/v1/public-api";
      expect(readFileSync(await download.path(), "utf8")).toBe(text.replaceAll(placeholder, stack.api_url));
    }
  }
});

test("scripts and styles of the reference are at most 600 kB when they are compressed", () => {
  const folder = `${dirname(process.env.STACK_FILE ?? "")}/dashboard/reference`;
  const files = globSync("*.{js,css}", { cwd: folder });
  expect(files).toContain("swagger-ui.js");
  const size = files.reduce((sum, file) => sum + gzipSync(readFileSync(`${folder}/${file}`)).length, 0);
  expect(size).toBeLessThan(600_000);
});

test("it can be read by keyboard alone, and an address leads to one endpoint", async () => {
  const page = await newPage();
  await page.goto("/reference/");
  const members = page.getByRole("button", { name: "GET /members People, their roles and teams" });
  await members.waitFor();
  for (let steps = 0; steps < 60 && !(await members.evaluate((button) => button.matches(":focus"))); steps += 1) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await page.getByText("Only people with exactly this role").waitFor();

  const another = await newPage();
  await another.goto(page.url());
  await another.getByText("Only people with exactly this role").waitFor();
});

test("what it shows is docs/openapi.json", async () => {
  const response = await fetch(`${stack.dashboard_url}/reference/openapi.json`);
  const { servers, ...shown } = await response.json();
  const { servers: _, ...committed } = openapi;
  expect(shown).toEqual(committed);
  expect(servers).toEqual([{ url: stack.api_url, description: "The base address." }]);
});

test("it looks good: wide and narrow, light and dark", async () => {
  const page = await newPage();
  await page.goto("/reference");
  await page.locator('[data-path="/activity"]').click();
  await page.getByText("Only kudos to this member.").waitFor();
  await page.getByRole("button", { name: "Member", exact: true }).click();
  await page.getByText("created_at").first().waitFor();
  await expectGoodLooks(page, "reference");
});

test("the dashboard leads there and loads nothing of it; both pages have the same Content-Security-Policy", async () => {
  const admin = await company.addPerson("Ada Brandt", "admin");
  const page = await (await signedInBrowser(admin)).newPage();
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  await page.goto(path);
  const link = page.getByRole("link", { name: "API reference" });
  await link.waitFor();
  expect(loaded).toContain(path);
  expect(loaded.filter((name) => name.startsWith("/reference"))).toEqual([]);
  await link.click();
  await page.getByText("Create or update rewards").waitFor();

  const policies = await Promise.all(
    [path, "/reference/"].map(async (at) => {
      const html = await (await fetch(stack.dashboard_url + at)).text();
      return /"Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1]?.replaceAll("&#39;", "'");
    }),
  );
  expect(policies[0]).toContain("script-src 'self';");
  expect(policies[1]).toBe(policies[0]);
});
