// Makes the test files of the project `newest` use a function under the newest Deno. It runs beside the function of the
// stack, with the same data.
import { afterAll } from "vitest";
import { startFunction } from "../support/function_process.ts";
import { stack } from "../support/stack.ts";

const running = await startFunction(stack.supabase_url, "deno-latest");
stack.api_url = running.url;
afterAll(() => running.kill());
