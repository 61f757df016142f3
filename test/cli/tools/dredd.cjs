// Hooks for Dredd: it sends every parameter that has a default or an enum, and knows no order of checks. Here each
// request of the document becomes one that must get the answer that stands beside it.
const hooks = require("hooks");

const { PUBLIC_API_KEY, READ_KEY, WRITE_KEY } = process.env;
// No request of its own makes the service answer these.
const rare = ["408", "429", "500"];

function prepare(transaction) {
  const { request, expected } = transaction;
  const { headers, statusCode } = expected;
  const isImport = request.method === "POST";
  const [path, sent] = transaction.fullPath.split("?");
  const query = new URLSearchParams(sent);
  const isCsv = headers["Content-Type"] === "text/csv";
  query.delete("escape_formulas");
  if (isCsv) query.set("format", "csv");
  if (statusCode === "400") query.set("no_such_parameter", "1");
  if (statusCode === "410") query.set("after", "0".repeat(56));
  if (statusCode === "415") request.headers["Content-Encoding"] = "gzip";
  const otherKeys = { 401: "none", 403: isImport ? READ_KEY : WRITE_KEY };
  request.headers["X-API-Key"] = otherKeys[statusCode] ?? PUBLIC_API_KEY;
  // The first example is refused until its ids are replaced.
  if (isImport) request.body = JSON.stringify({ rewards: [{ external_id: "mug-1", name: "Mug", points_cost: 250 }] });
  transaction.fullPath = `${path}?${query}`;
  transaction.skip = rare.includes(statusCode);
  // Dredd wants every header of the document, also those that only some answers have; no parameter in a media type; texts
  // that are their examples, and rows that have the types of theirs: but `value` is any JSON value.
  delete headers.Link;
  delete headers[isCsv ? "Content-Type" : "Content-Disposition"];
  if (isCsv) delete expected.body;
  else
    expected.body = JSON.stringify(JSON.parse(expected.body), (name, value) => (name === "value" ? undefined : value));
}

hooks.beforeAll((transactions, done) => {
  transactions.forEach(prepare);
  done();
});
