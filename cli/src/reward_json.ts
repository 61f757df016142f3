/** The line of a file in which a row begins, counted from 1, and the number of names of fields in its text. */
interface Place {
  line: number;
  fields: number;
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:\n]|[^\s"[\]{},:]+/gs;

/** How many more objects and arrays are open after a token. */
const opened: Record<string, number> = { "{": 1, "[": 1, "}": -1, "]": -1 };

/**
 * Where the rows of a JSON text are, which JSON.parse has read.
 * @param depth how many objects and arrays are open around a row
 * @returns the place of each row, and the number of names of fields outside of rows
 */
export function placesOfRows(text: string, depth: number): { places: Place[]; others: number } {
  const places: Place[] = [];
  const outer = { line: 0, fields: 0 };
  let [line, open, isNext] = [1, 0, depth === 0];
  for (const [token] of text.matchAll(tokens)) {
    if (token === "\n") line++;
    else {
      if (isNext && token !== "]") places.push({ line, fields: 0 });
      const here = (open > depth && places.at(-1)) || outer;
      here.fields += Number(token === ":");
      open += opened[token] ?? 0;
      isNext = open === depth && "[,".includes(token);
    }
  }
  return { places, others: outer.fields };
}
