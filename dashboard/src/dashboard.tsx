import { useEffect } from "react";
import { useSession } from "./account/session.ts";
import { ForgotPasswordPage } from "./pages/forgot_password_page.tsx";
import { PublicApiPage } from "./pages/public_api_page.tsx";
import { SetPasswordPage } from "./pages/set_password_page.tsx";
import { SignInPage } from "./pages/sign_in_page.tsx";
import { paths } from "./paths.ts";
import { currentErrand, navigate, usePath } from "./router.ts";

/** Shows the page of the path. Redirects to the sign-in page without a session, and away from it with a session. */
export function Dashboard() {
  const path = usePath();
  const session = useSession();

  const redirect =
    session.status === "signed_out" && path === paths.publicApi
      ? paths.signIn
      : session.status === "signed_in" && (path === paths.signIn || path === paths.forgotPassword)
        ? (currentErrand().returnTo ?? paths.publicApi)
        : null;
  useEffect(() => {
    if (redirect === paths.signIn)
      navigate(redirect, { returnTo: `${paths.publicApi}${window.location.search}` }, "replace");
    else if (redirect !== null) navigate(redirect, {}, "replace");
    else if (path === paths.publicApi && window.location.pathname !== path) navigate(path, {}, "replace");
  }, [redirect, path]);

  // The session is read from the browser's storage within milliseconds, unless its token must be refreshed first.
  if (session.status === "unknown" || redirect !== null) return null;
  if (path === paths.setPassword)
    return <SetPasswordPage email={session.status === "signed_in" ? session.email : null} />;
  if (path === paths.forgotPassword) return <ForgotPasswordPage />;
  if (session.status === "signed_in") return <PublicApiPage key={session.email} email={session.email} />;
  return <SignInPage />;
}
