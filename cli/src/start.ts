#!/usr/bin/env node
// Checks Node before anything else is loaded: an older one stops at a line that it cannot read, and prints that line.
// Node 12, which Debian 11 and Ubuntu 22.04 have, cannot read an `await` here.
import manifest from "../package.json" with { type: "json" };

const needed = manifest.engines.node.replace(">=", "");
if (process.versions.node.localeCompare(needed, "en", { numeric: true }) < 0) {
  process.stderr.write(`public-data-api needs Node.js ${needed} or later; this is ${process.versions.node}\n`);
  process.exitCode = 2;
} else void import("./main.ts");
