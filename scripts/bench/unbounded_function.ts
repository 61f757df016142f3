// The function without its waiting line and its bound of bodies. Runs under Deno.
import { Bodies } from "../../functions/public-api/bodies.ts";
import { WaitingLine } from "../../functions/public-api/waiting_line.ts";

WaitingLine.prototype.call = (_visit, _isTotal, ask) => ask();
WaitingLine.prototype.page = (_visit, _isTotal, ask) => ask();
Bodies.prototype.hold = async (_visit, request, _limit, serve) => {
  const text = await request.text();
  return await serve(() => text);
};
await import("../../functions/public-api/index.ts");
