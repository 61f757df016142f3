import { unhandled } from "./answers/log.ts";
import { createApp } from "./app.ts";
import { readSettings } from "./settings.ts";

/** The parts of Deno that this file uses, declared so that `tsc` can check it too. */
declare const Deno: {
  env: { get(name: string): string | undefined };
  serve(handler: (request: Request) => Promise<Response>): unknown;
};

const log = (line: string): void => console.log(line);
// Otherwise it would end the instance, and with it the requests of all callers.
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  log(unhandled(event.reason));
});
const settings = readSettings((name) => Deno.env.get(name));
Deno.serve(createApp(settings, log));
