// Runs under Deno exactly as the function does, and reports what it is allowed to do. Started by edge_function.test.ts.
import { getHeapStatistics } from "node:v8";

declare const Deno: {
  version: { deno: string };
  env: { get(name: string): string | undefined };
  connect(options: { hostname: string; port: number }): Promise<{ close(): void }>;
  readTextFile(path: string): Promise<string>;
  writeTextFile(path: string, text: string): Promise<void>;
  Command: new (command: string) => { output(): Promise<unknown> };
  serve(handler: (request: Request) => Promise<Response>): unknown;
};

/** `allowed`, or the name of the error that was thrown. */
const outcome = (attempt: () => unknown): Promise<string> =>
  Promise.resolve()
    .then(attempt)
    .then(
      () => "allowed",
      (error: Error) => error.name,
    );

Deno.serve(async (request) => {
  const { searchParams } = new URL(request.url);
  const port = Number(searchParams.get("port"));
  const project = new URL(Deno.env.get("SUPABASE_URL") ?? "");
  const connect = (hostname: string, port: number) => async () => (await Deno.connect({ hostname, port })).close();
  return Response.json({
    version: Deno.version.deno,
    heap: getHeapStatistics().heap_size_limit,
    "reads its project's address": await outcome(() => Deno.env.get("SUPABASE_URL")),
    "talks to its project": await outcome(connect("127.0.0.1", Number(project.port))),
    "reads another variable": await outcome(() => Deno.env.get("HOME")),
    "talks to another port": await outcome(connect("127.0.0.1", port)),
    "talks to another host": await outcome(connect("192.0.2.1", 443)),
    "reads a file": await outcome(() => Deno.readTextFile("/etc/hosts")),
    "writes a file": await outcome(() => Deno.writeTextFile("/tmp/probe", "")),
    "runs a command": await outcome(() => new Deno.Command("true").output()),
  });
});
