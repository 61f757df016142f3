import { createServer } from "node:net";

/** The port, if it is free on 127.0.0.1; any free port for 0; null when the port is taken. */
async function tryPort(port: number): Promise<number | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(address && typeof address === "object" ? address.port : null));
    });
  });
}

/** The wanted port, or any free port if it is taken. 0 is any free port. */
export async function freePort(wanted: number): Promise<number> {
  const port = (await tryPort(wanted)) ?? (await tryPort(0));
  if (port === null) throw new Error("No free port on 127.0.0.1");
  return port;
}
