// Somebody always writes: a session that holds a transaction which has written, as some program of a busy service does. A
// test that needs what it wrote to be served to copies has to wait for it (allServed in test/support/stack.ts).
import postgres from "postgres";

/** The session's name. Ending it makes older writers end; the next one begins at once. */
export const writer = "somebody who writes";

/** Holds such a transaction on this server, begun anew whenever it ends, until it is stopped. */
export function alwaysWrite(url: string): { stop(): Promise<void> } {
  let isOver = false;
  let current = open();

  function open(): postgres.Sql {
    const sql = postgres(url, {
      ...{ max: 1, backoff: () => 0, onnotice: () => {}, connection: { application_name: writer } },
      onclose: () => {
        if (!isOver) current = open();
      },
    });
    const write = "begin; select pg_current_xact_id()";
    sql
      .unsafe(write)
      .simple()
      .catch(() => {});
    return sql;
  }

  return {
    async stop() {
      isOver = true;
      await current.end({ timeout: 1 });
    },
  };
}
