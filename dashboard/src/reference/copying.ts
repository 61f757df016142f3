// The Copy buttons of the pages, which are HTML already (build/reference_article.tsx).

/** What was built does not know where it is served. */
const withOrigin = (text: string): string => text.replaceAll("https://<dashboard>", window.location.origin);

/** Puts the address of this page into the code of the guides. */
export function fillInOrigin(): void {
  for (const code of document.querySelectorAll("main code"))
    if (code.textContent.includes("https://<dashboard>")) code.textContent = withOrigin(code.textContent);
}

/** The text of the element before the button, or of the file that the button names. */
async function textOf(button: HTMLButtonElement): Promise<string> {
  const file = button.dataset.copy ?? "";
  if (file === "") return button.parentElement?.previousElementSibling?.textContent ?? "";
  return withOrigin(await (await fetch(file)).text());
}

async function copy(button: HTMLButtonElement, said: Element): Promise<void> {
  try {
    await navigator.clipboard.writeText(await textOf(button));
    said.textContent = "Copied";
    setTimeout(() => said.replaceChildren(), 3000);
  } catch {
    said.textContent = "Your browser does not allow it: select the text and copy it.";
  }
}

/** Lets every Copy button copy, and say so. */
export function startCopying(): void {
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>("button[data-copy]");
    if (button?.nextElementSibling) void copy(button, button.nextElementSibling);
  });
}
