// npm run lock: adds to package-lock.json the packages for other platforms that npm left out. A registry need not have
// them all, and npm writes only those that it found; on a platform whose packages are missing `npm ci` refuses, or
// installs no Deno and no compiler. test/repository/lock_file.test.ts compares the file with what this writes.
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { root } from "./stack/process.ts";
import { runCommandLine } from "./stack/running.ts";

/** An entry of a lock file: a package, under the path of its folder. */
type Entry = {
  version?: string;
  resolved?: string;
  cpu?: string[];
  dev?: boolean;
  libc?: string[];
  optional?: boolean;
  os?: string[];
  optionalDependencies?: Record<string, string>;
};
export type LockFile = { packages: Record<string, Entry> };

/** The path of the package that `name` means inside the folder of another package. */
function resolve({ packages }: LockFile, folder: string, name: string): string | undefined {
  for (let place = folder; ; place = place.slice(0, Math.max(place.lastIndexOf("node_modules/") - 1, 0))) {
    const path = `${place && `${place}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (place === "") return undefined;
  }
}

const systems = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const processors = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

/**
 * What the name of a package for one platform says of it. On Linux it is for glibc if there is another one for musl.
 * @throws Error when the name has no system or no processor
 */
function platform(name: string, siblings: readonly string[]): { cpu: string[]; libc?: string[]; os: string[] } {
  const words = name.replace("windows", "win32").split(/[-/]/);
  const os = words.find((word) => systems.includes(word));
  const cpu = words.find((word) => processors.includes(word));
  if (!os || !cpu)
    throw new Error(`${name} has no system or no processor in its name: add it to package-lock.json by hand`);
  if (/musl/.test(name)) return { cpu: [cpu], libc: ["musl"], os: [os] };
  if (/gnu|glibc/.test(name) || siblings.includes(`${name}-musl`)) return { cpu: [cpu], libc: ["glibc"], os: [os] };
  return { cpu: [cpu], os: [os] };
}

/** The entries that a lock file lacks: one for each optional dependency without one. */
export function missingEntries(lock: LockFile): Record<string, Entry> {
  const missing: Record<string, Entry> = {};
  for (const [folder, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
    const siblings = Object.keys(optionalDependencies);
    for (const [name, version] of Object.entries(optionalDependencies)) {
      if (resolve(lock, folder, name)) continue;
      if (!/^\d+\.\d+\.\d+/.test(version)) throw new Error(`${folder} needs ${name} ${version}: add it by hand`);
      const top = `node_modules/${name}`;
      const path = missing[top] ? `${folder}/${top}` : top;
      const { cpu, libc, os } = platform(name, siblings);
      // The keys in npm's order, so that npm does not rewrite the file.
      missing[path] = { version, cpu, ...(dev && { dev }), ...(libc && { libc }), optional: true, os };
    }
  }
  return missing;
}

const usage = `Usage: npm run lock
Adds the packages for other platforms to package-lock.json that npm left out.`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" } } });
  if (values.help) return console.log(usage);
  const file = `${root}/package-lock.json`;
  const lock: LockFile = JSON.parse(await readFile(file, "utf8"));
  const missing = missingEntries(lock);
  const packages = Object.entries({ ...lock.packages, ...missing });
  packages.sort(([one], [other]) => one.localeCompare(other, "en"));
  await writeFile(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
  console.log(`package-lock.json: ${Object.keys(missing).length} entries added`);
}

if (import.meta.main) await runCommandLine(main, usage);
