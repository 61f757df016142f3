import { App } from "@supabase/lite";
import { PostgresConnection } from "@supabase/lite/postgres";
import type { Secrets } from "./secrets.ts";

/** Supabase's Data API and Auth for one database, in this process. */
export interface Lite {
  /** Answers a request to /rest/v1 or /auth/v1. */
  fetch(request: Request): Promise<Response>;
  stop(): Promise<void>;
}

/**
 * Stands in for PostgREST and Auth. It reads the catalog once, so it starts after the migrations.
 * @param url the database's address as supabase_auth_admin
 */
export function startLite(url: string, supabaseUrl: string, secrets: Secrets): Lite {
  const connection = new PostgresConnection({ url, postgresOptions: { onnotice: () => {} } });
  // Before its first request Lite would grant anon, authenticated and service_role everything on every table that has row-level
  // security, and so hide every grant that we forgot. This tells it that it has done so.
  Object.assign(connection, { rlsState: "active" });

  const app = new App({
    connection,
    api: { schemas: ["public"] },
    auth: {
      enabled: true,
      site_url: supabaseUrl,
      jwt_secret: secrets.jwt_secret,
      publishable_key: secrets.publishable_key,
      secret_key: secrets.secret_key,
      // The two settings in which a stack differs from supabase/config.toml: Lite cannot invite people, and there is no mail.
      enable_signup: true,
      email: { enable_signup: true, enable_confirmations: false },
    },
    // Or a request without any key would be served as service_role.
    options: { server: { admin: false } },
  });
  return {
    fetch: async (request) => app.fetch(request),
    stop: () => connection.close(),
  };
}
