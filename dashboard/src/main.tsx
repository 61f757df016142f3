import "virtual:theme.css";
import "./page.css";
import { followEmailLink } from "./account/email_link.ts";
import { Dashboard } from "./dashboard.tsx";
import { render } from "./render.tsx";

followEmailLink();
render(<Dashboard />);
