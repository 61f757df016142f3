import { contents } from "virtual:reference";
import { Person } from "../pages/header.tsx";
import { render } from "../render.tsx";
import { TryOut } from "./try_out.tsx";

/** Makes the form of an endpoint in its place. */
export function showTryOut(id: string | undefined, place: Element): void {
  const operation = contents.operations.find((each) => each.id === id);
  if (operation) render(<TryOut operation={operation} />, place);
}

/** Shows who is signed in. */
export const showPerson = (place: Element): void => render(<Person member={null} />, place);
