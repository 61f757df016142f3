import { format } from "node:util";
import { App, type EmailDriver } from "@supabase/lite";
import { PostgresConnection } from "@supabase/lite/postgres";
import type { Secrets } from "./secrets.ts";

/** Supabase's Data API and Auth for one database, in this process. */
export interface Lite {
  /** Answers a request to /rest/v1 or /auth/v1. Rejects when the database connection is lost meanwhile. */
  fetch(request: Request): Promise<Response>;
  stop(): Promise<void>;
}

/** One App with its connections, and a promise that only ever rejects: when they are lost. */
interface Instance {
  app: App;
  connection: PostgresConnection;
  lost: Promise<never>;
  lose(error: Error): void;
}

/** The address for links in Auth's mails, and the receiver of the mails. */
export interface Mailing {
  siteUrl: string;
  driver: EmailDriver;
}

function open(url: string, mailing: Mailing, secrets: Secrets): Instance {
  const connection = new PostgresConnection({ url, postgresOptions: { onnotice: () => {} } });
  // Before its first request Lite would grant anon, authenticated and service_role everything on every table that has row-level
  // security, and so hide every grant that we forgot. This tells it that it has done so.
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
      // The two settings in which a stack differs from supabase/config.toml: Lite cannot invite people, and nobody reads the mails.
      enable_signup: true,
      email: { enable_signup: true, enable_confirmations: false },
    },
    // Or a request without any key would be served as service_role.
    options: { server: { admin: false }, drivers: { email: mailing.driver } },
  });
  const { promise: lost, reject: lose } = Promise.withResolvers<never>();
  lost.catch(() => {});
  return { app, connection, lost, lose };
}

/**
 * Lets pages of any origin in, as the hosted service does. Lite answers no preflight for a function that takes arguments, allows
 * no header in Auth's preflights and no origin in Auth's answers.
 */
async function withCors(request: Request, answer: () => Promise<Response>): Promise<Response> {
  const preflight = request.method === "OPTIONS" && request.headers.has("Access-Control-Request-Method");
  const response = preflight ? new Response(null, { status: 204 }) : await answer();
  response.headers.set("Access-Control-Allow-Origin", "*");
  if (preflight) {
    response.headers.set("Access-Control-Allow-Methods", "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD");
    response.headers.set("Access-Control-Allow-Headers", request.headers.get("Access-Control-Request-Headers") ?? "");
  }
  return response;
}

/**
 * Replaces PostgREST and Auth. It reads the catalog once, so it starts after the migrations.
 * @param url the database's address as supabase_auth_admin
 * @param log told of every refusal and failure
 */
export function startLite(url: string, mailing: Mailing, secrets: Secrets, log: (line: string) => void): Lite {
  let current = open(url, mailing, secrets);

  // When a database connection ends in the middle of a request, its driver throws where nobody can catch it. The hosted service
  // survives that, so a stack does too: what was under way fails, and everything else goes on with new connections.
  const onUncaught = (error: Error): void => {
    if (!error.stack?.includes("/node_modules/postgres/")) throw error;
    current.lose(error);
    void current.connection.driver.end({ timeout: 0 });
    current = open(url, mailing, secrets);
  };
  process.on("uncaughtException", onUncaught);
  // Lite prints a stack trace for each request that the database refuses, a 401 of the API among them.
  const printError = console.error;
  console.error = (...values) => log(format(...values));
  return {
    fetch: (request) => withCors(request, async () => Promise.race([current.app.fetch(request), current.lost])),
    async stop() {
      process.off("uncaughtException", onUncaught);
      console.error = printError;
      await current.connection.driver.end({ timeout: 1 });
    },
  };
}
