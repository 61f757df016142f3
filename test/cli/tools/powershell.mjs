// Parses PowerShell scripts, a JSON array from standard input, with the tree-sitter grammar. Prints the first line of each
// that is not valid.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Language, Parser } from "web-tree-sitter";

const grammar = createRequire(import.meta.url).resolve("tree-sitter-powershell/tree-sitter-powershell.wasm");
await Parser.init();
const parser = new Parser();
parser.setLanguage(await Language.load(grammar));
const firstWrong = (node) =>
  node.isError || node.isMissing
    ? `${node.startPosition.row + 1}: ${node.text.split("\n")[0]}`
    : node.children.reduce((found, child) => found || firstWrong(child), "");
const scripts = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(scripts.map((script) => firstWrong(parser.parse(script).rootNode))));
