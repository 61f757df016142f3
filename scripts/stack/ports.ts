import { createServer, type Server } from "node:http";

/** The wanted port, or any free port if it is taken. 0 is any free port. */
export async function freePort(wanted: number): Promise<number> {
  const { port, stop } = await listen(createServer(), wanted).catch(() => listen(createServer(), 0));
  await stop();
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
