import { useApart } from "../parts/apart.ts";
import { Waiting } from "../parts/waiting.tsx";

const form = () => import("./wanted_form.tsx");

/** Asks for the code of the second factor. `onShown` is called when the session has shown it. */
export function SecondFactorWanted({ onShown }: { onShown: () => Promise<void> }) {
  const WantedForm = useApart(form);
  return WantedForm ? <WantedForm onShown={onShown} /> : <Waiting what="Loading the form for your code" />;
}
