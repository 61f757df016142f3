import type { Plugin } from "vite";
import { paths } from "../src/paths.ts";

/** Writes the page once for every path, so that it also works on a static host that has no fallback page. */
export function pagePerPath(): Plugin {
  return {
    name: "page-per-path",
    apply: "build",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("Vite built no index.html");
      for (const path of Object.values(paths)) {
        this.emitFile({ type: "asset", fileName: `${path.slice(1)}/index.html`, source: page.source });
      }
    },
  };
}
