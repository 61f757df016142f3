// Builds one file that needs only Node 20.18.1: everything that it imports is bundled into it, also the function's schemas.
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
