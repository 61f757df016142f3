// Runs a command, and ends it when the parent of this process ends, even by kill -9, after which the parent cannot
// clean up: then the IPC channel between the two closes. `spawnGuarded` in process.ts starts this script.
import { spawn } from "node:child_process";

const [signal = "SIGTERM", command = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });

child.on("error", (error) => {
  console.error(error.message);
  process.exit(1);
});
child.on("exit", (code) => process.exit(code ?? 1));

const end = (): void => {
  child.kill(signal as NodeJS.Signals);
  // No command needs longer to end, and a process that hangs must not outlive the stack.
  setTimeout(() => child.kill("SIGKILL"), 15_000).unref();
};
process.on("disconnect", end);
process.on("SIGTERM", end);
