// The least that a server under Deno can do: it answers with an empty list, or forwards the answers of an upstream.
declare const Deno: { args: string[]; serve(handler: (request: Request) => Response | Promise<Response>): unknown };

const [upstream] = Deno.args;
Deno.serve(async (request) => {
  if (upstream === undefined) return Response.json([]);
  const { body } = await fetch(upstream + new URL(request.url).search);
  return new Response(body, { headers: { "Content-Type": "application/json" } });
});
