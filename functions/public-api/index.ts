import { createApp } from "./app.ts";
import { readSettings } from "./database.ts";

/** The parts of Deno that this file uses, declared so that `tsc` can check it too. */
declare const Deno: {
  env: { get(name: string): string | undefined };
  serve(handler: (request: Request) => Promise<Response>): unknown;
};

const settings = readSettings((name) => Deno.env.get(name));
Deno.serve(createApp(settings, (line) => console.log(line)));
