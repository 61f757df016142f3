// Parses texts in Power Query M, a JSON array from standard input, with Microsoft's parser. Prints the error of each.
import { readFileSync } from "node:fs";
import { DefaultSettings, TaskUtils } from "@microsoft/powerquery-parser";

const tasks = JSON.parse(readFileSync(0, "utf8")).map((text) => TaskUtils.tryLexParse(DefaultSettings, text));
const errorOf = (task) => (TaskUtils.isParseStageOk(task) ? "" : String(task.error?.innerError?.message ?? task.error));
process.stdout.write(JSON.stringify((await Promise.all(tasks)).map(errorOf)));
