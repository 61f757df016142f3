import type { Server } from "node:http";
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

/** A server that listens on 127.0.0.1. `stop` ends its connections too. */
export interface Listening {
  port: number;
  stop(): Promise<void>;
}

/** Makes a server listen on a port of 127.0.0.1; 0 is any free port. */
export async function listen(server: Server, port: number): Promise<Listening> {
  // Only the client closes idle connections: if the server did, the client could be using one at that moment.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  return {
    port: address !== null && typeof address === "object" ? address.port : port,
    async stop() {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}
