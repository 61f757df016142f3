import { idOf, type Proof, provenPages, readProofs } from "../../scripts/generate/specification.ts";
import { read } from "../support/pages.ts";

/** The ids of all statements of the specification and of the threat model, in order. */
const statements = (): string[] =>
  provenPages.flatMap((page) => read(page).split("\n")).flatMap((line) => idOf(line) ?? []);

/** The full names of a test when it runs, `path › group › name`. A row of a table of tests runs in any file. */
function runningAs({ file, name }: Proof): RegExp {
  const path = /(\.test\.ts|\.sql)$/.test(file) ? RegExp.escape(file) : ".*";
  const said = name.split("…").map(RegExp.escape).join(".*");
  return new RegExp(`^${path} › (.* › )?${said}$`, "s");
}

/**
 * Checks that each statement is proven by tests that ran and passed.
 * @param ran every test of this run, as `path › group › name`, and whether it passed
 * @returns the problems of each statement, in order, an empty text for one without any; then those of ids that no page has
 */
export function specification(
  ran: ReadonlyMap<string, boolean>,
  ids: readonly string[] = statements(),
  proofs: readonly Proof[] = readProofs(),
): string[] {
  const problemsOf = (proof: Proof): string[] => {
    const name = runningAs(proof);
    const results = [...ran].filter(([reference]) => name.test(reference)).map(([, passed]) => passed);
    if (results.length === 0) return [`no such test ran: ${proof.file} › ${proof.name}`];
    return results.includes(false) ? [`failed: ${proof.file} › ${proof.name}`] : [];
  };
  const problems = ids.map((id) => {
    const mine = proofs.filter((proof) => proof.ids.includes(id));
    const found = mine.length === 0 ? ["no test proves it"] : mine.flatMap(problemsOf);
    return found.map((problem) => `${id}: ${problem}`).join("\n");
  });
  const unknown = proofs.flatMap(({ file, ids: claimed }) =>
    claimed.filter((id) => !ids.includes(id)).map((id) => `${file}: no page has a statement ${id}`),
  );
  return [...problems, ...unknown];
}
