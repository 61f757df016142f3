// What the build makes of JSX (vite.config.ts): React's own, but a text that stands beside anything else gets an element.
//
// A browser that translates a page takes its text nodes out and puts others in their place. React then removes, or
// changes, a node that is no longer there: the page goes blank, or shows an old text. Only a text that is alone in its
// element is safe, because React sets it through the element. So every text is, whoever writes the page. What remains to be
// seen to: a component returns an element or a fragment, never a bare text.
import { jsx as element, jsxs as elements, Fragment } from "react/jsx-runtime";

type Props = { children?: unknown };

const alone = (child: unknown): unknown =>
  (typeof child === "string" && child !== "") || typeof child === "number"
    ? element("span", { children: child })
    : child;

/** An element with one child, or none. */
export const jsx: typeof element = (type, props, key) =>
  element(type, type === Fragment ? { ...(props as Props), children: alone((props as Props).children) } : props, key);

/** An element with several children. */
export const jsxs: typeof elements = (type, props, key) =>
  elements(type, { ...(props as Props), children: ((props as Props).children as unknown[]).map(alone) }, key);

export { Fragment };
