// The function without its waiting line. Runs under Deno.
import { WaitingLine } from "../../functions/public-api/waiting_line.ts";

WaitingLine.prototype.inTurn = (_keyHash, _visit, serve) => serve();
WaitingLine.prototype.call = (_visit, ask) => ask();
await import("../../functions/public-api/index.ts");
