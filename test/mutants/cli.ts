import type { TextMutant } from "./function.ts";

/** A mutant of a file of cli/src, and the file whose tests must notice it. */
export type CliMutant = TextMutant & { tests: string };

/** For each test file: the file that is changed, what is removed, the text that is replaced, and by what, unless by nothing. */
const noticedBy: Record<string, [file: string, name: string, from: string, to?: string][]> = {
  connection: [
    ["proxy.ts", "a proxy that hangs up is dialed again at once", "new ProxyPool(", "new Pool("],
    ["proxy.ts", "NO_PROXY has no ranges", "|| isInRange(url.hostname, hosts)"],
  ],
  export: [
    ["whole_file.ts", "a file gets its name before it is on the disk", "await file.sync();"],
    ["whole_file.ts", "the name of a file is not on the disk", "await handle.sync();"],
  ],
  import: [["import_rewards.ts", "an import that breaks off does not say where", "if (this.#isDryRun) throw", "throw"]],
  sync_file: [
    ["sync/lock.ts", "a second sync waits for the first one", "pragma busy_timeout = 0;"],
    ["sync/sqlite.ts", "deleted rows are not overwritten", "pragma secure_delete = on;", "pragma secure_delete = off;"],
    ["sync/sqlite.ts", "a FIFO is opened", "await placeOf(path + end);"],
    ["sync/copy.ts", "temporary files are anywhere", "if (!process.env.SQLITE_TMPDIR)", "if (false)"],
  ],
};

/** Protections of the command line. */
export const cliMutants: CliMutant[] = Object.entries(noticedBy).flatMap(([tests, mutants]) =>
  mutants.map(([file, name, from, to = ""]) => ({
    name,
    file: `cli/src/${file}`,
    from,
    to,
    tests: `test/cli/${tests}.test.ts`,
  })),
);
