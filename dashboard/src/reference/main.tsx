// The pages are HTML already (build/reference_pages.ts). This adds the header, the menu, copying and trying out.
import "../styles.ts";
import "@mantine/core/styles/Typography.css";
import "@mantine/core/styles/NavLink.css";
import "./reference.css";
import { contents } from "virtual:reference";
import { render } from "../render.tsx";
import { startCopying } from "./copying.ts";
import { Frame } from "./frame.tsx";

render(<Frame />);
startCopying();

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
    const operation = contents.operations.find(({ id }) => id === target.dataset.try);
    const place = target.querySelector(":scope > div:empty");
    if (!operation || !place) return;
    void import("./try_out.tsx").then(({ TryOut }) => render(<TryOut operation={operation} />, place));
  },
  true,
);
