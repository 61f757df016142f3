// Runs an SQL statement in DuckDB and prints its rows.
import { DuckDBInstance } from "@duckdb/node-api";

const connection = await (await DuckDBInstance.create()).connect();
const reader = await connection.runAndReadAll(process.argv[2]);
process.stdout.write(JSON.stringify(reader.getRowObjectsJson()));
