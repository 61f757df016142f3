import { Box, Button, Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useAction } from "../account/use_action.ts";
import type { Admin, Member } from "../database.ts";
import { CopyButton } from "../parts/copy_button.tsx";
import { Name } from "../parts/name.tsx";
import { paths } from "../paths.ts";
import { WantedForm } from "../second_factor/code_form.tsx";

type Outside = { member: Member; email: string; program?: string; onTryAgain: () => Promise<void> };

/** Why this person sees no keys, and what they can do about it. */
function Explanation({ member, email, program }: Outside): ReactNode {
  switch (member.status) {
    case "linked":
      return (
        <Advice title="Only admins manage API keys">
          You are signed in as <Name>{member.name}</Name> of <Name>{member.company_name}</Name>, with the role{" "}
          {member.role}. Ask an admin of your company to create the key for you, or to make you an admin.
          {member.admins && <AskAdmins admins={member.admins} me={member.name} program={program} />}
        </Advice>
      );
    case "moved":
      return (
        <Advice title="Your company has moved">
          <Name>{member.company_name}</Name> is served at another address, and its keys are managed there. Ask whoever
          runs the service for the address of this page there.
        </Advice>
      );
    case "no_member":
      return (
        <Advice title="No company knows this address">
          No company lists <Name>{email}</Name> among its people, or that person already signs in with another account.
          Ask an admin of your company to add you with exactly this email address, then try again; or sign out and use
          the address that your company knows.
        </Advice>
      );
    case "several_members":
      return (
        <Advice title="This email address belongs to more than one company">
          More than one company lists <Name>{email}</Name>, so we cannot tell for which one you are here. Ask whoever
          runs the service to link your sign-in to the right company, then try again.
        </Advice>
      );
    case "email_not_confirmed":
      return (
        <Advice title="Your address is not confirmed">
          Open the link in the email that we sent to <Name>{email}</Name>, then try again. If you cannot find it, sign
          out and use “Forgot password?”: its link confirms the address too.
        </Advice>
      );
  }
}

function Advice({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <Title order={2}>{title}</Title>
      <Text component="div">{children}</Text>
    </>
  );
}

/**
 * The admins, and a message to them that is ready to be sent, with the link of the guide that the person came from. Nobody can
 * agree for somebody else, so that of a program has no link to its agreement.
 */
function AskAdmins({ admins, me, program }: { admins: Admin[]; me: string; program: string | undefined }) {
  const purpose = program ? "assistant" : (new URLSearchParams(window.location.search).get("create") ?? "");
  const page = `${window.location.origin}${paths.publicApi}?create=${encodeURIComponent(purpose)}`;
  const wish = program
    ? `please make me an admin, so that I can let ${program} read our data, or create an API key for it.\n\nYou create the key here`
    : "please create an API key of the public data API for me, or make me an admin. What it is for: \n\nYou do it here";
  const request = `Hello,\n\n${wish}: ${page}\n\n${me}`;
  const to = admins.map(({ email }) => encodeURIComponent(email)).join(",");
  const subject = encodeURIComponent("An API key for me");
  return (
    <Stack gap="sm" mt="md" align="flex-start">
      <Box component="ul" m={0} pl="1.25rem" aria-label="Admins of your company">
        {admins.map(({ name, email }) => (
          <li key={email}>
            <Name>{name}</Name>, <Name>{email}</Name>
          </li>
        ))}
      </Box>
      <Group gap="sm">
        <Button
          component="a"
          variant="filled"
          href={`mailto:${to}?subject=${subject}&body=${encodeURIComponent(request)}`}
        >
          Write to them
        </Button>
        <CopyButton value={request} label="Copy the request" />
      </Group>
    </Stack>
  );
}

/** @param program the assistant that asks, on its page */
export function NoAccess(props: Outside) {
  const { run, pending } = useAction(props.onTryAgain);
  if (props.member.status === "second_factor_wanted") return <WantedForm onShown={props.onTryAgain} />;
  return (
    <Stack gap="md" align="flex-start">
      <Explanation {...props} />
      <Button loading={pending} onClick={() => void run()}>
        Try again
      </Button>
    </Stack>
  );
}
