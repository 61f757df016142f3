// Replaces the Data API where its speed must not matter: it answers every call at once, with a page of as many rows as
// the call asks for, or with a good key. It runs as a thread (startThread in http.ts).
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { parentPort } from "node:worker_threads";

/** As long as an average row of the demo companies' kudos. */
const row = {
  id: "587cdee8-2298-47af-8277-000000000000",
  timestamp: "2026-11-20T22:08:07.056550Z",
  sender_name: "Noor El-Masri",
  sender_email: "noor.el-masri@larkfield.example",
  receiver_name: "Owen Prichard",
  receiver_email: "owen.prichard@larkfield.example",
  message: "The way you walked the floor through the new schedule, and stayed until everyone had it. Thank you 😄",
  category: "Clean, Careful, Correct",
};
const page = (rows: number) => [rows, Buffer.from(JSON.stringify(Array(rows).fill(row)))] as const;
const pages = new Map([page(20), page(100), page(1000)]);

const verified = Buffer.from(
  JSON.stringify({
    ...{ company_name: "Larkfield Instruments", key_name: "bench", scopes: [], expires_at: null },
    ...{ company_id: "00000000-0000-4000-8000-00000000000b", requests_at_once: 4 },
  }),
);

const server = createServer(async (request, response) => {
  // The function sends the number of rows in its arguments, the bare proxy in its path.
  const [, limit] = /(?:"max_rows":|limit=)(\d+)/.exec(request.url + (await text(request))) ?? [];
  const rows = Number(limit);
  const body = request.url?.endsWith("/verify_api_key") ? verified : pages.get(rows);
  response.writeHead(body ? 200 : 404, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": body?.length ?? 0,
    "X-Key-Id": "00000000-0000-4000-8000-00000000000a",
    "X-Company-Id": "00000000-0000-4000-8000-00000000000b",
    "X-Row-Count": rows || 0,
    "X-Has-More": "true",
  });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));
