const menu = document.querySelector(".menu details");
const links = [...menu.querySelectorAll("a")];
const overview = links.find(({ pathname, hash }) => pathname === "/reference/" && hash === "");

/** Marks in the menu the operation that the address names; without one it is the overview. */
export function markCurrent() {
  const current = links.find(({ hash }) => hash !== "" && hash === window.location.hash) ?? overview;
  for (const link of links) link.removeAttribute("aria-current");
  current.setAttribute("aria-current", "page");
}

/** Where the menu lies over the page, it has done its work when it has led somewhere. */
export function closeMenu() {
  menu.open = false;
}
