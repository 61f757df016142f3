import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname } from "node:path";
import { gunzipSync } from "node:zlib";

/** The files of a tar archive. */
function* untar(archive: Buffer): Generator<{ path: string; content: Buffer }> {
  const text = (from: number, length: number): string =>
    archive
      .toString("utf8", from, from + length)
      .replace(/\0.*$/s, "")
      .trim();
  for (let header = 0; header < archive.length && archive[header] !== 0; ) {
    const size = Number.parseInt(text(header + 124, 12), 8);
    const start = header + 512;
    yield { path: text(header, 100), content: archive.subarray(start, start + size) };
    header = start + Math.ceil(size / 512) * 512;
  }
}

/**
 * Copies pgTAP into the folder in which the server looks for extensions. It comes in an npm package for another build
 * of PostgreSQL, but it is only SQL. `server` is the path of the program postgres.
 */
export async function installPgtap(server: string): Promise<void> {
  const folder = `${dirname(dirname(server))}/share/postgresql/extension`;
  if (existsSync(`${folder}/pgtap.control`)) return;

  const main = createRequire(import.meta.url).resolve("@electric-sql/pglite-pgtap");
  const files = [...untar(gunzipSync(await readFile(`${dirname(main)}/pgtap.tar.gz`)))]
    .filter(({ path }) => /\/extension\/pgtap(--1\.3\.5\.sql|\.control)$/.test(path))
    // The control file comes last, and each file appears in one step: another stack may be starting from the same
    // folder.
    .sort((one, other) => Number(one.path.endsWith(".control")) - Number(other.path.endsWith(".control")));
  for (const { path, content } of files) {
    const target = `${folder}/${basename(path)}`;
    await writeFile(`${target}.${process.pid}`, content);
    await rename(`${target}.${process.pid}`, target);
  }
}
