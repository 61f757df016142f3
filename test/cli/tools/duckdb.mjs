// Runs an SQL statement like duckdb's command line, `duckdb <file> <SQL>` or `duckdb -c <SQL>`, and prints the rows as
// JSON.
import { DuckDBInstance } from "@duckdb/node-api";

const [place, statement] = process.argv.slice(2);
const instance = await DuckDBInstance.create(place === "-c" ? ":memory:" : place);
const connection = await instance.connect();
const reader = await connection.runAndReadAll(statement);
process.stdout.write(`${JSON.stringify(reader.getRowObjectsJson())}\n`);
connection.closeSync();
instance.closeSync();
