// Bundles all that the program imports, also the function's schemas. Its first file only checks Node: any can read it.
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  ssr: { noExternal: true },
  build: {
    ssr: "src/start.ts",
    target: "node20",
    minify: true,
    rollupOptions: { output: { entryFileNames: "public-data-api.js", chunkFileNames: "[name].js" } },
  },
});
