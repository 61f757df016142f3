import { createApp } from "./app.ts";
import { readSettings } from "./database.ts";

/** The parts of Deno that are used here, declared so that `tsc` can check this file too. */
declare const Deno: {
  env: { get(name: string): string | undefined };
  serve(handler: (request: Request) => Promise<Response>): unknown;
};

const settings = readSettings((name) => Deno.env.get(name));
Deno.serve(createApp(settings, (line) => console.log(line)));
