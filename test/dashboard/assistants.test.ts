// Letting an assistant read (docs/api.md, Assistants): what the admin sees, what the program gets, and when it gets nothing.
// What the code is worth is in test/api/sign_in.test.ts.
// Needs a stack of its own: the function must know the dashboard's address, which is chosen at its start.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { clientIdOf } from "../../functions/public-api/assistants/programs.ts";
import { signedIn } from "../support/companies.ts";
import { agreed, challengeOf, claude, exchange, newVerifier, resource } from "../support/sign_in.ts";
import { call, sql, stack } from "../support/stack.ts";
import { newPage, takeTroubles } from "./browser.ts";
import { chooseIn, openMenu, row } from "./key_steps.ts";
import { expectGoodLooks } from "./looks.ts";
import { linkMailedTo, setKey, signedInBrowser, test } from "./scene.ts";
import { clipboard, expectFocus, openHistory, path, press, says, signIn } from "./steps.ts";

const code_verifier = newVerifier();

/** The query with which a program sends an admin here. */
const asked = (change: Record<string, string> = {}): string =>
  new URLSearchParams({
    response_type: "code",
    client_id: clientIdOf("Claude", [claude]),
    redirect_uri: claude,
    code_challenge: challengeOf(code_verifier),
    code_challenge_method: "S256",
    state: "s & t",
    resource,
    ...change,
  }).toString();
const open = (page: Page, change?: Record<string, string>) => page.goto(`/connect-assistant?${asked(change)}`);

/** Waits until the browser is sent to Claude, which is not to be had here, and returns what it is told. */
async function told(page: Page): Promise<Record<string, string>> {
  await page.route("https://claude.ai/**", (route) => route.fulfill({ body: "Claude" }));
  const url = new URL((await page.waitForRequest((request) => request.url().startsWith(claude))).url());
  await says(page, "Claude");
  expect(takeTroubles()).toEqual(["a request to https://claude.ai"]);
  return Object.fromEntries(url.searchParams);
}

/** The key that a program gets for its code. */
async function keyFor(code = ""): Promise<string> {
  const form = { grant_type: "authorization_code", code, code_verifier, resource, redirect_uri: claude };
  return (await exchange({ ...form, client_id: clientIdOf("Claude", [claude]) })).body.access_token;
}

test("an admin lets Claude read, or refuses; agreeing again revokes the first key", async ({ company, admin }) => {
  const page = await newPage();
  await open(page);
  await says(page, "Claude (claude.ai) wants to read the data of your company.");
  await page.getByRole("link", { name: "Forgot password?" }).click();
  await page.getByLabel("Email").fill(admin.email);
  await press(page, "Send link");
  const mailed = await page.context().newPage();
  await mailed.goto(await linkMailedTo(admin.email));
  await press(mailed, "Use the link");
  await press(mailed, "Continue");
  await mailed.getByLabel("New password").fill("a new and long password");
  await press(mailed, "Set password");
  await mailed.getByRole("button", { name: "Create key" }).waitFor();
  await mailed.close();
  await says(page, "Let Claude read?", "Continue only if you have just started this yourself");
  expect(await page.getByRole("checkbox", { checked: true }).count()).toBe(0);
  expect(await page.getByRole("checkbox", { name: /write/i }).count()).toBe(0);
  await expectGoodLooks(page, "assistant");
  await press(page, "Let it read");
  await page.getByRole("checkbox").first().check();
  const [answer] = await Promise.all([told(page), press(page, "Let it read")]);
  expect(answer).toEqual({ code: expect.stringMatching(/^[0-9a-f]{64}$/), iss: resource, state: "s & t" });
  const first = await keyFor(answer.code);
  expect((await call("/members?limit=1", first)).status).toBe(200);

  await open(page);
  const [refusal] = await Promise.all([told(page), press(page, "Refuse")]);
  // Without iss, programs would take it for an attack.
  expect(refusal).toEqual({ error: "access_denied", iss: resource, state: "s & t" });

  // What asks an admin who has signed out waits until they have signed in.
  await open(page);
  await press(page, "Sign out");
  await open(page);
  await signIn(page, { ...admin, password: "a new and long password" });
  await page.getByRole("checkbox").first().check();
  await page.getByRole("checkbox", { name: /^Revoke the key that Claude got on/ }).check();
  const [again] = await Promise.all([told(page), press(page, "Let it read")]);
  const second = await keyFor(again.code);
  expect((await call("/members?limit=1", first)).status).toBe(401);
  expect((await call("/members?limit=1", second)).status).toBe(200);
  await setKey(company, "Claude", { expires_at: new Date(Date.now() + 9.5 * 86_400_000).toISOString() });

  // Nobody replaces its key: it is connected again, at the address that stands on the page.
  await page.goto(path);
  await says(row(page, "Claude"), "Expires in 9 days");
  await openMenu(row(page, "Claude").first());
  const actions = ["Details", "Connect Claude again", "Rename", "Disconnect"];
  await expect.poll(() => page.getByRole("menuitem").allTextContents()).toEqual(actions);
  await page.keyboard.press("Escape");
  await says(await chooseIn(row(page, "Claude"), "Details"), `for Claude, agreed by ${admin.name}`);
  await press(page.getByRole("dialog"), "Connect Claude again");
  await press(page, "Copy the address for assistants");
  await expect.poll(() => clipboard(page)).toBe(resource);
  for (const program of ["Claude", "ChatGPT", "VS Code"]) await page.getByRole("term").getByText(program).waitFor();
  const connected = page.getByRole("region", { name: "Assistants" }).getByRole("listitem");
  await says(connected, `agreed by ${admin.name}`);
  await expectGoodLooks(page, "assistants");
  await connected.getByRole("button", { name: /^Disconnect/ }).click();
  await says(page.getByRole("dialog", { name: "Disconnect" }), "just now, GET /members");
  await press(page.getByRole("dialog"), "Disconnect");
  await says(page, "Claude is disconnected: the API refuses it from now on.");
  expect((await call("/members?limit=1", second)).status).toBe(401);
  expect(await connected.count()).toBe(0);
  await says(await openHistory(page), `Claude, agreed by ${admin.name}`);
});

// Proves: signin.9
test("a program that calls itself Claude is told from Claude", async ({ company, admin }) => {
  const ben = await company.addPerson("Ben Osei", "admin");
  const forged = await exchange(await agreed(await signedIn(ben), { redirect_uri: "http://localhost:4711/callback" }));
  const page = await (await signedInBrowser(admin)).newPage();
  await page.goto(path);
  await says(row(page, "Claude"), "calls itself Claude");
  // It outlives the admin who agreed to it, and the way on says why it is there.
  await sql`update app.members set role = 'employee' where email = ${ben.email}`;
  await page.reload();
  await press(page, "Connect Claude again: Claude");
  await says(page, "Ben Osei, who agreed to it, is no admin any more: connect Claude again, as below");
  await page.getByRole("tab", { name: "Keys" }).click();
  await page.getByRole("searchbox").fill("calls itself");
  await says(await chooseIn(row(page, "Claude"), "Details"), "for a program that calls itself Claude, agreed by");
  await open(page);
  await press(page, "Let it read", "Tick at least one.");
  await expectFocus(page, page.getByRole("checkbox").first());
  expect(await page.getByRole("checkbox", { name: /^Revoke/ }).count()).toBe(0);
  expect((await call("/members?limit=1", forged.body.access_token)).status).toBe(200);
});

test("where assistants cannot sign in, the page says what to ask for", async ({ admin }) => {
  const page = await (await signedInBrowser(admin)).newPage();
  await page.route("**/oauth-protected-resource", (route) => route.fulfill({ status: 404, json: {} }));
  await page.goto(`${path}?tab=assistants`);
  await says(page, "Assistants cannot sign in yet");
  await press(page, "Copy the request");
  await expect.poll(() => clipboard(page)).toContain(`set PUBLIC_API_DASHBOARD_URL to ${stack.dashboard_url}`);
  await expectGoodLooks(page, "assistants-off");
  // The guide has the address in it.
  expect(await (await fetch(`${stack.dashboard_url}/reference/guides/assistants.md`)).text()).toContain(resource);
});

// Proves: signin.6, signin.9
test("a program on this computer has its own name; an employee sees who the admins are", async ({ company, admin }) => {
  const uri = "http://localhost:4711/callback";
  const change = { redirect_uri: uri, client_id: clientIdOf("<b>Codex</b>", [uri]) };
  const page = await (await signedInBrowser(admin)).newPage();
  await open(page, change);
  await says(page, "Let a program on this computer read?", "<b>Codex</b>");
  const employee = await company.addPerson("Em Ployee", "employee");
  const other = await (await signedInBrowser(employee)).newPage();
  await open(other, change);
  await says(other, "Only admins manage API keys", admin.email);
  const mail = new URL((await other.getByRole("link", { name: "Write to them" }).getAttribute("href")) ?? "");
  expect(mail.searchParams.get("body")).toMatch(/so that I can let .* read our data, .*\?create=assistant\n/s);
  await expectGoodLooks(other, "assistant-no-admin");
  await other.route("**/rpc/link_member", (route) => route.abort(), { times: 1 });
  await other.reload();
  await says(other, "The service cannot be reached.");
  await press(other, "Try again", "Only admins manage API keys");
  // Whoever may not agree may refuse.
  await open(other);
  const [refusal] = await Promise.all([told(other), press(other, "Refuse, and tell the program")]);
  expect(refusal).toEqual({ error: "access_denied", iss: resource, state: "s & t" });
});

// Proves: signin.1, signin.7, signin.8
test("a request that is wrong in any way, or in a frame, leads nowhere", async ({ admin }) => {
  const page = await (await signedInBrowser(admin)).newPage();
  const evil = "https://evil.example/api/mcp/auth_callback";
  for (const change of [
    { redirect_uri: evil, client_id: clientIdOf("Claude", [evil]) },
    { redirect_uri: claude, client_id: clientIdOf("Claude", ["http://localhost/"]) },
    { redirect_uri: claude, client_id: "https://evil.example/client.json" },
    { redirect_uri: "javascript:alert(1)" },
    { code_challenge_method: "plain" },
    { response_type: "token" },
    { resource: "https://elsewhere.example/mcp" },
    { resource: "" },
  ] as Record<string, string>[]) {
    await open(page, change);
    await says(page, "This link does not work");
    expect(await page.getByRole("button", { name: "Let it read" }).count()).toBe(0);
  }
  await page.goto(`/connect-assistant?${asked()}&redirect_uri=${encodeURIComponent(claude)}`);
  await says(page, "This link does not work");
  await page.getByRole("link", { name: "Open Assistants" }).click();
  await says(page, "Connect an assistant");

  // No other web page shows it in a frame.
  const body = `<iframe src="${stack.dashboard_url}/connect-assistant?${asked()}"></iframe>`;
  await page.route("http://evil.example/", (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto("http://evil.example/");
  await expect.poll(() => page.frames()[1]?.url()).toBe("chrome-error://chromewebdata/");
  expect(takeTroubles()[0]).toBe("a request to http://evil.example");
});
