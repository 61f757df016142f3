// Runs under Deno exactly as the function does. Evaluates expressions, which edge_function.test.ts sends, and answers the
// value of each, or the name of the error that it threw.
declare const Deno: { serve(handler: (request: Request) => Promise<Response>): unknown };

Deno.serve(async (request) => {
  const outcomes: unknown[] = [];
  for (const expression of await request.json()) {
    try {
      // biome-ignore lint/security/noGlobalEval: only the test sends expressions.
      outcomes.push(await eval(expression));
    } catch (error) {
      outcomes.push((error as Error).name);
    }
  }
  return Response.json(outcomes);
});
