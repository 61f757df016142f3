// Blocks of the guides that read a key work when they are pasted as a whole into a shell without bracketed paste, such
// as bash before 5.1: a line below `read` would be taken for the key.
import { execFileSync } from "node:child_process";
import { globSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { workFolder } from "../support/command_line.ts";
import { codeBlocks } from "../support/pages.ts";

const folder = workFolder();
const pages = ["README.md", ...globSync("docs/**/*.md", { cwd: root, exclude: ["**/node_modules"] })];
const blocks = pages
  .flatMap((page) => codeBlocks(page).map(({ text }) => ({ page, text })))
  .map((block) => ({ ...block, names: [...block.text.matchAll(/\bread -\w+ (\w+)/g)].map(([, name]) => name) }))
  .filter(({ names }) => names.length > 0);

test("the guides have such blocks", () => expect(blocks.length).toBeGreaterThan(1));

test.for(blocks)("$page: what is typed after pasting is in $names", ({ text, names }) => {
  const pasted = `${folder}/pasted.sh`;
  // Other commands, such as those that install something, are left out.
  writeFileSync(pasted, text.replace(/^(?! *(export|read) ).+$/gm, ":"));
  // The quotes keep the echo of the command apart from what it prints.
  const print = `printf '<%s>' ${names.map((name) => `"$${name}"`).join(" ")} e''nd`;
  const input = [...names.map((name) => `secret of ${name}`), print].join("\n");
  const shown = execFileSync("python3", [`${root}/test/support/paste.py`, pasted], { input, encoding: "utf8" });
  expect(shown).toContain(`${names.map((name) => `<secret of ${name}>`).join("")}<end>`);
});
