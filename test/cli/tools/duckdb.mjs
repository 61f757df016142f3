// Runs an SQL statement as duckdb's command line does, `duckdb <file> <SQL>` or `duckdb -c <SQL>`, and prints its rows as JSON.
import { DuckDBInstance } from "@duckdb/node-api";

const [place, statement] = process.argv.slice(2);
const instance = await DuckDBInstance.create(place === "-c" ? ":memory:" : place);
const connection = await instance.connect();
const reader = await connection.runAndReadAll(statement);
process.stdout.write(`${JSON.stringify(reader.getRowObjectsJson())}\n`);
connection.closeSync();
instance.closeSync();
