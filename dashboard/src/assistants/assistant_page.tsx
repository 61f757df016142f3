import { Button, Text } from "@mantine/core";
import { useState } from "react";
import { receiverOf } from "../../../functions/public-api/assistants/programs.ts";
import { usePublicApi } from "../keys/use_public_api.ts";
import { AccountPage } from "../pages/account_page.tsx";
import { HeaderBar } from "../pages/header_bar.tsx";
import { NoAccess } from "../pages/no_access.tsx";
import { Person } from "../pages/person.tsx";
import { Failed } from "../parts/failed.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { paths } from "../paths.ts";
import { AgreementForm } from "./agreement_form.tsx";
import { answer, readRequest } from "./request.ts";

const crumbs = [{ words: "Public API", href: paths.publicApi }, { words: "Assistant" }];

/** Lets an admin agree that an assistant reads (`docs/api.md`, Assistants). Nothing is sent anywhere before a click. */
export default function AssistantPage({ email }: { email: string }) {
  const [request] = useState(() => readRequest(window.location.search));
  const { shown, problem, refresh } = usePublicApi();

  if (request === null) {
    return (
      <AccountPage title="This link does not work">
        <Text>
          A program sent you here with an address that this service does not know, or with an incomplete request. It got
          nothing. If you trust the program, connect it again, with the address that you find there.
        </Text>
        <Button component="a" variant="filled" href={`${paths.publicApi}?tab=assistants`}>
          Open Assistants
        </Button>
      </AccountPage>
    );
  }
  // Of this very program: another one may call itself so.
  const earlier = (shown?.keys ?? []).filter(
    (key) =>
      key.status === "active" &&
      key.assistant === request.name &&
      receiverOf(key.assistant_address ?? "") === (request.host ?? ""),
  );
  return (
    <AccountPage
      title={`Let ${request.host ?? "a program on this computer"} read?`}
      header={
        <HeaderBar crumbs={crumbs}>
          <Person member={shown?.member ?? null} />
        </HeaderBar>
      }
    >
      <Failed onTryAgain={() => void refresh()}>{problem?.message}</Failed>
      {!shown && !problem && <Waiting what="Loading your company" />}
      {shown && shown.member.role !== "admin" && (
        <>
          <NoAccess member={shown.member} email={email} program={request.name} onTryAgain={refresh} />
          <Button onClick={() => answer(request, { error: "access_denied" })}>Refuse, and tell the program</Button>
        </>
      )}
      {shown?.member.role === "admin" && (
        <AgreementForm request={request} company={shown.member.company_name} earlier={earlier} />
      )}
    </AccountPage>
  );
}
