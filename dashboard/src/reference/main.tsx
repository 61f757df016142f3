import "../styles.ts";
import { render } from "../render.tsx";
import { Guide } from "./guide.tsx";
import { ReferencePage } from "./page.tsx";
import { Reference } from "./reference.tsx";

/** The HTML of a guide, as the built page has it; of the reference itself, what stands there without JavaScript. */
const article = document.querySelector("article")?.innerHTML ?? "";

render(
  <ReferencePage>
    {window.location.pathname.startsWith("/reference/guides/") ? <Guide html={article} /> : <Reference />}
  </ReferencePage>,
);
