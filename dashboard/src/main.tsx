import "./styles.ts";
import { Dashboard } from "./dashboard.tsx";
import { render } from "./render.tsx";

render(<Dashboard />);
