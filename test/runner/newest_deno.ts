// Lets the test files of the project `newest` talk to the function under the newest Deno, beside the stack's own, over the same data.
import { afterAll } from "vitest";
import { stack } from "../api/stack.ts";
import { startFunction } from "../hardening/function_process.ts";

const running = await startFunction(stack.supabase_url, "deno-latest");
stack.api_url = running.url;
afterAll(() => running.kill());
