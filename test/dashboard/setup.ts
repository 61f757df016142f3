import { watchEachTest } from "./browser.ts";

watchEachTest();
