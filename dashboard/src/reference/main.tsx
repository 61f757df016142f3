import "../styles.ts";
import "@mantine/core/styles/Typography.css";
import "@mantine/core/styles/NavLink.css";
import { render } from "../render.tsx";
import { Html } from "./html.tsx";
import { ReferencePage } from "./page.tsx";
import { Reference } from "./reference.tsx";

/** The HTML of a guide, as the built page has it; of the reference itself, what stands there without JavaScript. */
const article = document.querySelector("article")?.innerHTML ?? "";

render(
  <ReferencePage>
    {window.location.pathname.startsWith("/reference/guides/") ? (
      <article>
        <Html>{article}</Html>
      </article>
    ) : (
      <Reference />
    )}
  </ReferencePage>,
);
