import { useEffect, useState } from "react";
import { Html } from "./html.tsx";
import classes from "./reference.module.css";

/** A guide, whose HTML was made with the page. Its samples have a button that copies them. */
export function Guide({ html }: { html: string }) {
  const [said, setSaid] = useState("");

  useEffect(() => {
    // The browser looked for the heading of the address before the page was there.
    document.getElementById(decodeURIComponent(window.location.hash.slice(1)))?.scrollIntoView();
    const copy = async ({ target }: Event): Promise<void> => {
      if (!(target instanceof HTMLElement && target.matches("article button"))) return;
      try {
        await navigator.clipboard.writeText(target.previousElementSibling?.textContent ?? "");
        setSaid("Copied");
      } catch {
        setSaid("Your browser does not allow it: select the text and copy it.");
      }
    };
    document.addEventListener("click", copy);
    return () => document.removeEventListener("click", copy);
  }, []);

  return (
    <>
      <article>
        <Html>{html}</Html>
      </article>
      <div role="status" className={classes.said}>
        {said}
      </div>
    </>
  );
}
