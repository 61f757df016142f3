// One file that needs nothing but Node 20: what it imports, from the function's schemas to the CSV parser, is in it.
import { defineConfig } from "vite";

export default defineConfig({
  root: import.meta.dirname,
  ssr: { noExternal: true },
  build: {
    ssr: "src/main.ts",
    target: "node20",
    minify: true,
    rollupOptions: { output: { entryFileNames: "public-data-api.js" } },
  },
});
