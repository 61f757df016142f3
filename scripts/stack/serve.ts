// Runs a script that calls Deno.serve, on any free port of 127.0.0.1. The function itself sets neither host nor port,
// because the platform does. The platform's Deno version does not know DENO_SERVE_ADDRESS. `served` is the script's
// name in the import map (edge_function.ts, denoCommand).

declare const Deno: { serve(options: object, handler: unknown): unknown };

const { serve } = Deno;
Object.assign(Deno, { serve: (handler: unknown) => serve({ hostname: "127.0.0.1", port: 0 }, handler) });
// @ts-expect-error: only the import map knows it
await import("served");
