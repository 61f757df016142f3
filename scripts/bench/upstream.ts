// Stands in for the Data API: answers every call at once with what was prepared, as PostgREST does with what the database set. Started
// by startScript; sends its port, and the number of calls so far when it is asked.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Rows like those of the demo companies' kudos, in length as well. */
function rows(count: number): object[] {
  const message =
    "The way you walked the floor through the new schedule, and stayed until everyone had it. Thank you 😄";
  return Array.from({ length: count }, (_, index) => ({
    id: `587cdee8-2298-47af-8277-${String(index).padStart(12, "0")}`,
    timestamp: "2026-11-20T22:08:07.056550Z",
    sender_name: "Noor El-Masri",
    sender_email: "noor.el-masri@larkfield.example",
    receiver_name: "Owen Prichard",
    receiver_email: "owen.prichard@larkfield.example",
    message,
    category: "Clean, Careful, Correct",
  }));
}

const owner = {
  "Content-Type": "application/json; charset=utf-8",
  "X-Key-Id": "00000000-0000-4000-8000-00000000000a",
  "X-Company-Id": "00000000-0000-4000-8000-00000000000b",
};
const lists = new Map(
  [20, 100, 1000].map((count) => {
    const body = Buffer.from(JSON.stringify(rows(count)));
    const headers = { ...owner, "X-Row-Count": count, "X-Has-More": "true", "Content-Length": body.length };
    return [String(count), { headers, body }];
  }),
);
const noList = { headers: owner, body: Buffer.from('{"imported":50}') };

let calls = 0;
const server = createServer((request, response) => {
  let sent = "";
  request.on("data", (chunk: Buffer) => {
    sent += chunk.toString("latin1");
  });
  request.on("end", () => {
    calls++;
    // The function names the number of rows in its arguments, the bare proxy in its path.
    const [, limit = ""] = /(?:"max_rows":|limit=)(\d+)/.exec(request.url + sent) ?? [];
    const { headers, body } = lists.get(limit) ?? noList;
    response.writeHead(200, headers).end(body);
  });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("message", () => process.send?.(calls));
process.on("disconnect", () => process.exit());
