import { createServer } from "node:net";

/** The port, if nobody listens on it on 127.0.0.1 (any free one for 0); null when it is taken. */
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

/** The wanted port, or another free one when it is taken. 0 asks for any free port. */
export async function freePort(wanted: number): Promise<number> {
  const port = (await tryPort(wanted)) ?? (await tryPort(0));
  if (port === null) throw new Error("No free port on 127.0.0.1");
  return port;
}
