import { Typography } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { CopyButton } from "../parts/copy_button.tsx";
import classes from "./reference.module.css";

/**
 * HTML that was made from the Markdown of our own documents when the page was built. Each sample in it, which an empty
 * `div` follows, gets a button that copies it.
 */
export function Html({ children }: { children: string }) {
  const text = useRef<HTMLDivElement>(null);
  const [samples, setSamples] = useState<Element[]>([]);
  useEffect(() => setSamples([...(text.current?.querySelectorAll("pre + div") ?? [])]), []);
  return (
    <>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: see above */}
      <Typography ref={text} className={classes.text} dangerouslySetInnerHTML={{ __html: children }} />
      {samples.map((place, number) =>
        createPortal(
          <CopyButton value={place.previousElementSibling?.textContent ?? ""} label="Copy" />,
          place,
          `${number}`,
        ),
      )}
    </>
  );
}
