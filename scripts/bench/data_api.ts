// The stand-in for a Data API with a pool of connections, as a thread (startThread).
import { parentPort, workerData } from "node:worker_threads";
import { startPooledDataApi } from "../stack/pooled_data_api.ts";

const { databaseUrl, secretKey } = workerData as { databaseUrl: string; secretKey: string };
parentPort?.postMessage((await startPooledDataApi(databaseUrl, secretKey)).port);
