/**
 * Does to a page what a browser's translator does, as long as the page is open: each text node is taken out, and a
 * translation (here the same words, or as many letters of Arabic, from right to left) stands in its place, in elements of its
 * own. What is marked `translate="no"` stays. It runs in the page. A text node that the page changes afterwards is one that
 * nobody sees: that is an error in the console.
 */
export function translator(language?: "ar"): void {
  const replaced = new WeakSet<Node>();
  const untouched = "font, script, style, noscript, [translate=no]";

  const translate = (text: Text): void => {
    const parent = text.parentElement;
    // The line breaks between elements are no text.
    if (!parent || !document.body?.contains(parent) || parent.closest(untouched) || /^\s*\n\s*$/.test(text.data))
      return;
    const [outer, inner] = [document.createElement("font"), document.createElement("font")];
    const inArabic = (letter: string) => String.fromCharCode(0x628 + (letter.charCodeAt(0) % 19));
    inner.textContent = language ? text.data.replaceAll(/\p{L}/gu, inArabic) : text.data;
    outer.append(inner);
    text.replaceWith(outer);
    replaced.add(text);
  };

  const translateAll = (within: Node): void => {
    if (within instanceof Text) translate(within);
    const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    for (const text of texts) translate(text);
  };

  new MutationObserver((changes) => {
    if (language) Object.assign(document.documentElement, { lang: language, dir: "rtl" });
    for (const { addedNodes } of changes) for (const node of addedNodes) translateAll(node);
  }).observe(document, { childList: true, subtree: true });

  const { set, ...rest } = Object.getOwnPropertyDescriptor(Node.prototype, "nodeValue") ?? {};
  Object.defineProperty(Node.prototype, "nodeValue", {
    ...rest,
    set(this: Node, value: string) {
      if (replaced.has(this))
        console.error(`The page changes a text that is not shown: "${this.nodeValue}" to "${value}"`);
      set?.call(this, value);
    },
  });
}
