// The least that a server under Deno is: what the function's cold start is held against.
declare const Deno: { serve(handler: () => Response): unknown };

Deno.serve(() => Response.json([]));
