// npm run verify -- <base address>: checks a deployed project from outside (docs/operate/deploy.md, Verify a deployment).
import { writeFile } from "node:fs/promises";
import { setGlobalDispatcher } from "undici";
import { readConnection } from "../cli/src/connection.ts";
import { version } from "../functions/public-api/table/endpoints.ts";
import { runCommand } from "./stack/process.ts";
import { runCommandLine } from "./stack/running.ts";
import { checkApi } from "./verify/api.ts";
import { checkProject } from "./verify/project.ts";
import { newVerification } from "./verify/verification.ts";

await runCommandLine(async () => {
  const { PUBLIC_API_KEY: key, DASHBOARD_URL: dashboard, ...env } = process.env;
  const address = process.argv.slice(2).join(" ") || env.PUBLIC_API_URL;
  const { url, dispatcher } = readConnection({ ...env, PUBLIC_API_URL: address, PUBLIC_API_KEY: key || "none" });
  setGlobalDispatcher(dispatcher); // The proxy of the environment.
  const api = newVerification(url, key?.trim());
  await checkApi(api);
  await checkProject(api, dashboard?.replace(/\/+$/, ""));
  const commit = (await runCommand("git", ["describe", "--always", "--dirty"]).catch(() => "unknown")).trim();
  const report = { base: url, version, commit, time: new Date(), findings: api.findings };
  await writeFile("verify.json", `${JSON.stringify(report, null, 2)}\n`);
  const counts = Object.entries(Object.groupBy(api.findings, ({ result }) => result));
  console.log(`${counts.map(([result, found]) => `${found?.length} ${result}`).join(", ")}: see verify.json`);
  if (api.findings.some(({ result }) => result === "wrong")) process.exitCode = 1;
}, "Usage: npm run verify -- <base address, or else PUBLIC_API_URL>");
