import { renderToStaticMarkup } from "react-dom/server";
import { Mark } from "../src/parts/mark.tsx";
import { paths } from "../src/paths.ts";

/**
 * The sign-in as HTML, for the time until the scripts are there: what is typed meanwhile stays (src/pages/sign_in_page.tsx). No
 * form, which the browser would send.
 */
export const signInHtml = renderToStaticMarkup(
  <main id="first">
    <Mark />
    <section>
      <h1>Sign in</h1>
      <label>
        Email <input className="button" type="email" name="email" autoComplete="username" />
      </label>
      <label>
        Password <input className="button" type="password" name="password" autoComplete="current-password" />
      </label>
      <p>
        <a href={paths.forgotPassword}>Forgot password?</a>
        <button type="button" className="button" disabled>
          Sign in
        </button>
      </p>
    </section>
  </main>,
);
