// Somebody always writes: a session that holds a transaction which has written, as some program of a busy service does. A
// test that needs what it wrote to be served to copies has to wait for it (allServed in test/support/stack.ts).
import pg from "pg";

/** The session's name. Ending it makes older writers end; the next one begins at once. */
export const writer = "somebody who writes";

/** Holds such a transaction on this server, begun anew whenever it ends, until it is stopped. */
export function alwaysWrite(url: string): { stop(): Promise<void> } {
  let stop = async () => {};
  const begin = () => {
    const client = new pg.Client({ connectionString: url, application_name: writer });
    client.on("error", () => {});
    client.once("end", begin);
    stop = () => {
      client.off("end", begin);
      return client.end();
    };
    // What ends the session before it has begun to write ends it as later.
    client
      .connect()
      .then(() => client.query("begin; select pg_current_xact_id()"))
      .catch(() => {});
  };
  begin();
  return { stop: () => stop() };
}
