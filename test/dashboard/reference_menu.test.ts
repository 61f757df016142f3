// The menu of /reference on wide and narrow screens, and the parts of the page that are folded.
import { expect, test } from "vitest";
import { eventually, narrow, newPage } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";

test("the menu marks where one is: the overview, then the endpoint that was followed to or opened", async () => {
  const page = await newPage();
  await page.goto("/reference");
  const menu = page.getByRole("navigation", { name: "Reference" });
  const marked = () => menu.locator("[aria-current]").allTextContents();
  await page.locator('[data-path="/activity"]').waitFor();
  expect(await marked()).toEqual(["Overview"]);
  await menu.getByRole("link", { name: "GET /day-ratings" }).click();
  await eventually(marked).toEqual(["GET /day-ratings"]);
  await page.locator('[data-path="/activity"]').click();
  await eventually(marked).toEqual(["GET /activity"]);
  await page.locator('[data-path="/activity"]').click();
  await eventually(marked).toEqual(["Overview"]);
  await menu.getByRole("link", { name: "Python" }).click();
  await page.locator("article h1").waitFor();
  expect(await marked()).toEqual(["Python"]);
});

test("on a narrow screen the menu is one line that stays in sight, opens over the page, and closes when it has led somewhere", async () => {
  for (const [address, viewport] of [
    ["/reference/", narrow],
    ["/reference/guides/python/", { width: 768, height: 1024 }],
  ] as const) {
    const page = await newPage({ viewport });
    await page.goto(address);
    const menu = page.getByRole("navigation", { name: "Reference" });
    const contents = menu.getByText("Contents", { exact: true });
    await contents.waitFor();
    const link = menu.getByRole("link", { name: "GET /day-ratings" });
    expect(await link.isVisible()).toBe(false);
    // Again until the page is long enough: what is below the menu comes later.
    await eventually(async () => {
      await page.mouse.wheel(0, 2000);
      return page.evaluate(() => window.scrollY);
    }).toBeGreaterThan(500);
    expect((await contents.boundingBox())?.y).toBeLessThan(50);
    await contents.focus();
    await page.keyboard.press("Enter");
    await link.waitFor();
    if (address === "/reference/") await expectGoodLooks(page, "reference-menu");
    await page.setViewportSize(viewport);
    await link.click();
    await page.getByText("A rating belongs to a team at most, never to a person.").waitFor();
    await link.waitFor({ state: "hidden" });
  }
});

test("a response's headers are named in one line, and told in full to whoever opens it", async () => {
  const page = await newPage();
  await page.goto("/reference/#/Members/listMembers");
  const members = page.locator("#operations-Members-listMembers");
  const headers = members.locator("summary", { hasText: "Headers: " });
  await headers.first().waitFor();
  expect(await headers.count()).toBe(await members.locator("tr.response").count());
  expect(await headers.first().textContent()).toMatch(/^Headers: X-Request-Id, .*X-Has-More/);
  const description = members.locator(".headers").first().getByText("X-Has-More", { exact: true });
  expect(await description.isVisible()).toBe(false);
  await headers.first().click();
  await description.waitFor();
});
