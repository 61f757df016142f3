import { AccountPage } from "./account_page.tsx";
import { PasswordLinkForm } from "./password_link_form.tsx";

export function ForgotPasswordPage() {
  return (
    <AccountPage title="Forgot password?">
      <PasswordLinkForm explanation="Tell us your email address: we send you a link that lets you set a new password." />
    </AccountPage>
  );
}
