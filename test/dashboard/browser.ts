// A real browser with the real dashboard. Every page that a test opens is watched. The test fails when an inline script
// is refused, an error is in the console, or a request goes to a host other than those of the dashboard and the
// project.
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { stack } from "../support/stack.ts";
import { translator } from "./translator.ts";

export const wide = { width: 1440, height: 900 };
export const narrow = { width: 360, height: 740 };

/** The browser of this worker: each test has contexts of its own in it. */
let browser: Promise<Browser> | undefined;
const contexts: BrowserContext[] = [];
const troubles: string[] = [];

/** Returns the troubles so far and clears the list, for a test that causes them on purpose. */
export function takeTroubles(): string[] {
  return troubles.splice(0);
}

/** The hooks of each test file (setup.ts). */
export function watchEachTest(): void {
  beforeAll(async () => {
    const executablePath = process.env.CHROMIUM;
    const args = ["--headless=shell", "--no-sandbox"];
    browser ??= chromium.launch(executablePath ? { executablePath, args } : { channel: "chrome" });
    await browser;
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    expect(takeTroubles()).toEqual([]);
  });
}

let isTranslated = false;
/** In a file that calls this, each page is translated from its first text on. An old text that stays fails the test. */
export function translateEachPage(): void {
  beforeAll(() => {
    isTranslated = true;
  });
  afterAll(() => {
    isTranslated = false;
  });
}

/** Chromium logs each refused or failed request in the console. The tests check how the page shows it. */
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

/** A new browser context, without a session and without stored data. */
export async function newBrowser(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  if (!browser) throw new Error("test/dashboard/setup.ts has not run");
  const context = await (await browser).newContext({
    baseURL: stack.dashboard_url,
    viewport: wide,
    reducedMotion: "no-preference",
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  context.setDefaultTimeout(60_000);
  context.on("page", watch);
  if (isTranslated) await context.addInitScript(translator);
  contexts.push(context);
  return context;
}

export async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
  return await (await newBrowser(options)).newPage();
}

/** Saves a screenshot for --mode pictures: of the whole page, or of a screen with room for the whole open dialog. */
export async function shoot(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  const fullPage = (await page.getByRole("dialog").count()) === 0;
  if (!fullPage) await page.setViewportSize({ width: page.viewportSize()?.width ?? wide.width, height: 1400 });
  await page.screenshot({ path: `${import.meta.dirname}/screenshots/${name}.png`, fullPage });
}
