import classes from "./reference.module.css";

/** HTML that was made from the Markdown of our own documents when the page was built. */
export function Html({ children }: { children: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: see above
  return <div className={classes.text} dangerouslySetInnerHTML={{ __html: children }} />;
}
