import { format } from "node:util";
import { App, type EmailDriver } from "@supabase/lite";
import { PostgresConnection } from "@supabase/lite/postgres";
import { root } from "./process.ts";
import type { Secrets } from "./secrets.ts";

/** Supabase Lite in this process: Auth for one database. Its Data API is not used. */
export interface Lite {
  /** Serves a request to /auth/v1. Rejects when the database connection is lost meanwhile. */
  fetch(request: Request): Promise<Response>;
  stop(): Promise<void>;
}

/** A Lite App with its connection. `lost` never resolves; it rejects when the connection is lost. */
interface Instance {
  app: App;
  connection: PostgresConnection;
  lost: Promise<never>;
  lose(error: Error): void;
}

/** The address for links in Auth's emails, and the driver that receives the emails. */
export interface Mailing {
  siteUrl: string;
  driver: EmailDriver;
}

function open(url: string, mailing: Mailing, secrets: Secrets): Instance {
  const connection = new PostgresConnection({ url, postgresOptions: { onnotice: () => {} } });
  // Before its first request Lite would grant all rights on every table with row-level security to anon, authenticated
  // and service_role. That would hide a grant that we forgot. With this state Lite believes that it has done so
  // already.
  Object.assign(connection, { rlsState: "active" });

  const app = new App({
    connection,
    api: { schemas: ["public"] },
    auth: {
      enabled: true,
      site_url: mailing.siteUrl,
      jwt_secret: secrets.jwt_secret,
      publishable_key: secrets.publishable_key,
      secret_key: secrets.secret_key,
      // The two settings that differ from supabase/config.toml: Lite cannot invite people, and nobody reads the emails.
      enable_signup: true,
      email: {
        enable_signup: true,
        enable_confirmations: false,
        template: { recovery: { content_path: `${root}/supabase/templates/recovery.html` } },
      },
    },
    // In admin mode a request without a key would be served as service_role.
    options: { server: { admin: false }, drivers: { email: mailing.driver } },
  });
  const { promise: lost, reject: lose } = Promise.withResolvers<never>();
  lost.catch(() => {});
  return { app, connection, lost, lose };
}

/**
 * Starts Lite, which stands in for Auth. It reads the catalog only once, so start it after the migrations.
 * @param url the address of the database, as supabase_auth_admin
 * @param log is called with every refusal and failure
 */
export function startLite(url: string, mailing: Mailing, secrets: Secrets, log: (line: string) => void): Lite {
  // Hashing a password keeps this process, and so every request, waiting for 0.1 s. These passwords protect nothing:
  // npm start prints them.
  process.env.LITE_AUTH_BCRYPT_COST ??= "4";
  let current = open(url, mailing, secrets);

  // When a database connection ends during a request, its driver throws where nobody can catch the error. The hosted
  // service survives that, so the stack does too: the requests under way fail, and later requests use a new connection.
  const onUncaught = (error: Error): void => {
    if (!error.stack?.includes("/node_modules/postgres/")) throw error;
    current.lose(error);
    void current.connection.driver.end({ timeout: 0 });
    current = open(url, mailing, secrets);
  };
  process.on("uncaughtException", onUncaught);
  // Lite prints a stack trace for each request that the database refuses, for example for a 401 of the API.
  const printError = console.error;
  console.error = (...values) => log(format(...values));
  return {
    fetch: async (request) => Promise.race([current.app.fetch(request), current.lost]),
    async stop() {
      process.off("uncaughtException", onUncaught);
      console.error = printError;
      await current.connection.driver.end({ timeout: 1 });
    },
  };
}
