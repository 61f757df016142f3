// For each use of these names as globals Deno looks at the stack for who uses them: that took a tenth of a page's time.
export const { clearTimeout, performance, setTimeout } = globalThis;
