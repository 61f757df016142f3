// What the function is held against: a proxy that does nothing but pass a body on, in one of three ways. Runs under Deno.
declare const Deno: {
  args: string[];
  serve(handler: (request: Request) => Promise<Response>): unknown;
};

const [upstream, way = ""] = Deno.args;
const bodyOf: Record<string, (reply: Response) => unknown> = {
  streamed: (reply) => reply.body,
  buffered: (reply) => reply.text(),
  parsed: async (reply) => JSON.stringify(await reply.json()),
};
Deno.serve(async (request) => {
  const reply = await fetch(upstream + new URL(request.url).search);
  return new Response((await bodyOf[way]?.(reply)) as BodyInit, { headers: { "Content-Type": "application/json" } });
});
