// Writes every list of the public data API to a file (programs.md).
import { writeFile } from "node:fs/promises";
import { whole } from "./public-data-api.mjs";

for (const list of ["members", "teams", "activity", "categories", "rewards", "day-ratings", "pulse-responses"])
  await writeFile(`${list}.json`, JSON.stringify(await whole(`/${list}`), null, 2));
