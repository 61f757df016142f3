const live = `export const setTimeout = (...all) => globalThis.setTimeout(...all);
export const clearTimeout = (timer) => globalThis.clearTimeout(timer);
export const performance = { now: () => globalThis.performance.now() };`;

/** The function keeps the timers that there are when it is loaded, once for all tests: with this a test can replace them. */
export const replaceableTimers = {
  name: "replaceable-timers",
  transform: (_: string, id: string) => (id.endsWith("/public-api/timing.ts") ? live : undefined),
};
