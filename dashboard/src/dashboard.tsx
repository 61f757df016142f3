import { type ReactNode, useEffect, useState } from "react";
import { currentLink } from "./account/email_link.ts";
import { type Session, useSession } from "./account/session.ts";
import { AccountPage } from "./pages/account_page.tsx";
import { PasswordLinkForm } from "./pages/password_link_form.tsx";
import { SetPasswordPage } from "./pages/set_password_page.tsx";
import { SignInPage } from "./pages/sign_in_page.tsx";
import { type Path, paths } from "./paths.ts";
import { type Address, navigate, navigationState, usePath } from "./router.ts";

type Page = (props: { email: string }) => ReactNode;

/** The pages for which somebody must be signed in. Apart: whoever signs in on a slow line need not wait for them. */
const pages: Partial<Record<Path, () => Promise<{ default: Page }>>> = {
  [paths.publicApi]: () => import("./pages/public_api_page.tsx"),
  [paths.assistant]: () => import("./assistants/assistant_page.tsx"),
  [paths.secondFactor]: () => import("./second_factor/second_factor_page.tsx"),
};

/** A page, once it has arrived. Not by `lazy`: React would show nothing for 300 ms after the fallback of its Suspense. */
function usePage(path: Path): Page | undefined {
  const [arrived, setArrived] = useState<Partial<Record<Path, Page>>>({});
  useEffect(() => {
    // Where it would be drawn, the boundary shows what failed.
    const failed = (error: unknown) => (): never => {
      throw error;
    };
    const loaded = pages[path]?.().then((file) => file.default, failed);
    void loaded?.then((page) => setArrived((others) => ({ ...others, [path]: page })));
  }, [path]);
  return arrived[path];
}

/** Where this path leads instead, with or without a session; null: nowhere else. */
function redirectFor(path: Path, session: Session): Address | null {
  if (session.status === "signed_out") {
    const wasHere = session.lost && path === paths.setPassword && currentLink() === null;
    return pages[path] || wasHere ? paths.signIn : null;
  }
  const isInside = session.status === "signed_in" && (path === paths.signIn || path === paths.forgotPassword);
  return isInside ? (navigationState().returnTo ?? paths.publicApi) : null;
}

/** Shows the page of the path. Redirects to the sign-in page without a session, and away from it with a session. */
export function Dashboard() {
  const path = usePath();
  const Page = usePage(path);
  const session = useSession();
  const redirect = redirectFor(path, session);
  const sessionLost = session.status === "signed_out" && session.lost;
  useEffect(() => {
    if (redirect === paths.signIn) {
      const returnTo = pages[path] ? (`${path}${window.location.search}` as const) : paths.publicApi;
      navigate(redirect, { returnTo, sessionLost }, "replace");
    } else if (redirect !== null) navigate(redirect, {}, "replace");
    else if (path === paths.publicApi && window.location.pathname !== path) navigate(path, {}, "replace");
  }, [redirect, path, sessionLost]);

  const isShown = session.status !== "unknown" && redirect === null;
  // What the sign-in has taken over by now (build/first_sign_in.tsx).
  useEffect(() => {
    if (isShown) document.getElementById("first")?.remove();
  }, [isShown]);

  // The session is read from the browser's storage within milliseconds, unless its token must be refreshed first.
  if (!isShown) return null;
  const email = session.status === "signed_in" ? session.email : null;
  if (path === paths.setPassword) return <SetPasswordPage email={email} />;
  if (path === paths.forgotPassword)
    return (
      <AccountPage title="Forgot password?">
        <PasswordLinkForm explanation="Tell us your email address: we send you a link that lets you set a new password." />
      </AccountPage>
    );
  if (email === null) return <SignInPage />;
  return Page ? <Page key={email} email={email} /> : null;
}
