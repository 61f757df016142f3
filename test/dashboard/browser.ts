// A real browser on the real dashboard. Every page that a test opens is watched: a refused inline script, an error in the console
// or a request to a host that is neither the dashboard's nor the project's fails the test that caused it.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import sparticuz from "@sparticuz/chromium";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type ViewportSize,
} from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { stack } from "../api/stack.ts";

export const wide = { width: 1440, height: 900 };
export const middle = { width: 768, height: 1024 };
export const narrow = { width: 360, height: 740 };

/** Where --mode pictures leaves its screenshots. */
const screenshots = fileURLToPath(new URL("screenshots", import.meta.url));

let browser: Browser;
const contexts: BrowserContext[] = [];
const troubles: string[] = [];

/**
 * On Linux the Chromium that npm brings, laid out in a folder of this run and this worker (another one would find it half laid out);
 * elsewhere the Chrome that is installed.
 */
async function launch(): Promise<Browser> {
  if (process.platform !== "linux") return await chromium.launch({ channel: "chrome" });
  const { TMPDIR } = process.env;
  process.env.TMPDIR = `${dirname(process.env.STACK_FILE ?? "")}/browser-${process.env.VITEST_POOL_ID}`;
  mkdirSync(process.env.TMPDIR, { recursive: true });
  const executablePath = await sparticuz.executablePath();
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  return await chromium.launch({ executablePath, args: ["--headless=shell", "--no-sandbox"] });
}

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  browser = await launch();
});

/** What the browser complained of so far, for a test that causes it on purpose. */
export function takeTroubles(): string[] {
  return troubles.splice(0);
}

afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
  expect(takeTroubles()).toEqual([]);
});

afterAll(() => browser.close());

/** Chromium reports each refused or unreachable request in the console; the tests look at what the page makes of them. */
const expectedInConsole = /Failed to load resource/;

function watch(page: Page): void {
  const own = [stack.dashboard_url, stack.supabase_url];
  page.on("request", (request) => {
    const { origin } = new URL(request.url());
    if (!own.includes(origin)) troubles.push(`a request to ${origin}`);
    if (request.url().includes("sk_live_")) troubles.push(`a key in the address ${request.url()}`);
  });
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => {
    if (message.text().includes("sk_live_")) troubles.push(`a key in the console: ${message.text()}`);
    const bad = ["error", "warning"].includes(message.type());
    if (bad && !expectedInConsole.test(message.text())) troubles.push(`${message.type()}: ${message.text()}`);
  });
}

/** A browser of its own: nobody is signed in, nothing is stored. */
export async function newBrowser(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: stack.dashboard_url,
    viewport: wide,
    reducedMotion: "reduce",
    timezoneId: "Europe/Berlin",
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  context.setDefaultTimeout(60_000);
  context.on("page", watch);
  contexts.push(context);
  return context;
}

export async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
  return await (await newBrowser(options)).newPage();
}

/** Leaves a picture of the page, or of the open dialog over it. */
export async function shoot(page: Page, seen: ViewportSize, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  const path = `${screenshots}/${name}.png`;
  const dialog = page.getByRole("dialog");
  if ((await dialog.count()) === 0) {
    await page.screenshot({ path, fullPage: true });
    return;
  }
  // A dialog scrolls within the screen: for its picture the screen is as high as it needs.
  const needed = await dialog.evaluate((element) => Math.ceil((element.scrollHeight + 2) / 0.92));
  if (needed > seen.height) await page.setViewportSize({ ...seen, height: needed });
  await page.screenshot({ path });
  if (needed > seen.height) await page.setViewportSize(seen);
}

/** An expectation that may take a while, as a network and a browser do. */
export const eventually = <T>(look: () => T) => expect.poll(look);
