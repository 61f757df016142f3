// Parses Power Query M from standard input with Microsoft's parser, and prints the errors.
import { readFileSync } from "node:fs";
import { DefaultSettings, TaskUtils } from "@microsoft/powerquery-parser";

const task = await TaskUtils.tryLexParse(DefaultSettings, readFileSync(0, "utf8"));
process.stdout.write(TaskUtils.isParseStageOk(task) ? "" : String(task.error?.innerError?.message ?? task.error));
