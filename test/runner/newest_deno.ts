// Makes the test files of the project `newest` use a function under the newest Deno. It runs beside the function of the
// stack, with the same data.
import { afterAll } from "vitest";
import { stack } from "../api/stack.ts";
import { startFunction } from "../hardening/function_process.ts";

const running = await startFunction(stack.supabase_url, "deno-latest");
stack.api_url = running.url;
afterAll(() => running.kill());
