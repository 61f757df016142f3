// Parses PowerShell from standard input with its tree-sitter grammar, and prints the lines that are not valid.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Language, Parser } from "web-tree-sitter";

const grammar = createRequire(import.meta.url).resolve("tree-sitter-powershell/tree-sitter-powershell.wasm");
await Parser.init();
const parser = new Parser();
parser.setLanguage(await Language.load(grammar));
const text = readFileSync(0, "utf8");
const wrong = [];
const visit = (node) => {
  if (node.isError || node.isMissing) wrong.push(`${node.startPosition.row + 1}: ${node.text.split("\n")[0]}`);
  for (const child of node.children) visit(child);
};
visit(parser.parse(text).rootNode);
process.stdout.write(wrong.join("\n"));
