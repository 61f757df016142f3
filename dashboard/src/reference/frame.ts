// What the scripts add to the frame (build/reference_frame.tsx): the menu marks where one is, and opens on a narrow screen.

const menu = document.querySelector<HTMLElement>(".menu");
const button = menu?.querySelector<HTMLButtonElement>(":scope > button");
const home = "/reference/";

/** Opens or closes the menu of a narrow screen. */
export function open(opened: boolean): void {
  button?.setAttribute("aria-expanded", String(opened));
}

/** Marks the entry of the page, or of the part of it that a reader has before them. */
function mark(place: string): void {
  const address = window.location.pathname.replace(/\/?$/, "/");
  const here = address === home && place !== "" ? `${home}#${place}` : address;
  const entries = menu?.querySelector<HTMLElement>(":scope > div");
  for (const link of menu?.querySelectorAll<HTMLAnchorElement>(".entries a") ?? []) {
    if (link.getAttribute("href") !== here) link.removeAttribute("aria-current");
    else if (entries && !link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "page");
      // The menu alone: scrollIntoView would move the page too, past its header. Its lower part may be below the screen.
      const from = link.offsetTop - entries.scrollTop;
      if (from < 0 || from > entries.clientHeight * 0.7) entries.scrollTop = link.offsetTop - entries.clientHeight / 3;
    }
  }
}

/**
 * The part of the page before a reader is the last one that begins above a line in its upper quarter. The watcher only says that
 * something crossed the line: on a slow machine it tells of several frames at once, the oldest first.
 */
function followReader(): void {
  mark(window.location.hash.slice(1));
  const parts = [...document.querySelectorAll<HTMLElement>("[data-place]")];
  const isAbove = (part: Element): boolean => part.getBoundingClientRect().top <= window.innerHeight / 4;
  const look = (): void => mark(parts.findLast(isAbove)?.dataset.place ?? "");
  const watcher = new IntersectionObserver(look, { rootMargin: "-25% 0px -75% 0px" });
  for (const part of parts) watcher.observe(part);
}

/**
 * Goes to the place that the address names. What is near it is laid out only then, and moves it: so it is looked for again in the
 * next frames, unless the reader has scrolled meanwhile.
 */
function goToPlace(): void {
  const place = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
  if (!place || place.id === "text") return;
  const found = new AbortController();
  for (const moving of ["wheel", "touchmove", "keydown", "pointerdown"])
    window.addEventListener(moving, () => found.abort(), { signal: found.signal, passive: true });
  let frames = 8;
  const look = (): void => {
    if (found.signal.aborted) return;
    place.scrollIntoView();
    frames -= 1;
    if (frames > 0) requestAnimationFrame(look);
    else found.abort();
  };
  look();
}

export function startFrame(): void {
  button?.addEventListener("click", () => open(button.getAttribute("aria-expanded") !== "true"));
  menu?.addEventListener("click", ({ target }) => (target as Element).closest("a") && open(false));
  menu?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || button?.getAttribute("aria-expanded") !== "true") return;
    open(false);
    button.focus();
  });
  followReader();
  goToPlace();
  window.addEventListener("hashchange", goToPlace);
}
