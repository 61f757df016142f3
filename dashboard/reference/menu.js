const menu = document.querySelector(".menu details");
const links = [...menu.querySelectorAll("a")];
const overview = links.find(({ pathname, hash }) => pathname === "/reference/" && hash === "");

/** Marks in the menu the operation that the address names, or the overview if it names none. */
export function markCurrent() {
  const current = links.find(({ hash }) => hash !== "" && hash === window.location.hash) ?? overview;
  for (const link of links) link.removeAttribute("aria-current");
  current.setAttribute("aria-current", "page");
}

/** Closes the menu, which covers the page on a narrow screen. */
export function closeMenu() {
  menu.open = false;
}
