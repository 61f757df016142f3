// The pages are HTML already (build/pages.ts). This adds the search, copying and trying out.
import "virtual:theme.css";
import "../page.css";
import "@mantine/core/styles/Typography.css";
import "./reference.css";
import { fillInOrigin, startCopying } from "./copying.ts";
import { startFrame } from "./frame.ts";
import { startSearch } from "./search.ts";

fillInOrigin();
startFrame();
startSearch();
startCopying();

// Only for somebody who has a session here: most readers never load what signs people in.
const person = document.getElementById("person");
if (person && document.documentElement.matches(".session"))
  void import("./trying.tsx").then(({ showPerson }) => showPerson(person));

// One choice of a language holds for all samples.
document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches(".languages input")) return;
  for (const other of document.querySelectorAll<HTMLInputElement>(`.languages input[value="${target.value}"]`))
    other.checked = true;
});

// The form of an endpoint is made when it is first opened. (The event does not bubble.)
document.addEventListener(
  "toggle",
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement) || !target.open) return;
    const place = target.querySelector(":scope > div:empty");
    const operation = JSON.parse(target.dataset.try ?? "null");
    if (place) void import("./trying.tsx").then(({ showTryOut }) => showTryOut(operation, place));
  },
  true,
);
