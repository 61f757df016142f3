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

Deno.serve(async (request) => {
  const port = Number(new URL(request.url).searchParams.get("port"));
  const project = new URL(Deno.env.get("SUPABASE_URL") ?? "");
  const connect = (hostname: string, port: number) => async () => (await Deno.connect({ hostname, port })).close();
  const attempts = {
    "reads its project's address": () => Deno.env.get("SUPABASE_URL"),
    "talks to its project": connect("127.0.0.1", Number(project.port)),
    "reads another variable": () => Deno.env.get("HOME"),
    "talks to another port": connect("127.0.0.1", port),
    "talks to another host": connect("192.0.2.1", 443),
    "reads a file": () => Deno.readTextFile("/etc/hosts"),
    "writes a file": () => Deno.writeTextFile("/tmp/probe", ""),
    "runs a command": () => new Deno.Command("true").output(),
  };
  const outcomes: Record<string, string> = {};
  // `allowed`, or the name of the error that was thrown.
  for (const [what, attempt] of Object.entries(attempts)) {
    try {
      await attempt();
      outcomes[what] = "allowed";
    } catch (error) {
      outcomes[what] = (error as Error).name;
    }
  }
  return Response.json({ version: Deno.version.deno, heap: getHeapStatistics().heap_size_limit, ...outcomes });
});
