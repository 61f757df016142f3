import { Checkbox, Text } from "@mantine/core";
import { useState } from "react";
import { useAction } from "../account/use_action.ts";
import type { ApiKey } from "../database.ts";
import { letAssistantRead, revokeApiKey } from "../keys/calls.ts";
import { ScopesField, scopesIn } from "../keys/create_key_form.tsx";
import { endAfter } from "../keys/expiry.ts";
import { Decision } from "../parts/actions.tsx";
import { Form } from "../parts/form.tsx";
import { Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import { When } from "../parts/when.tsx";
import { Problem } from "../problems.ts";
import { readScopes, type Scope } from "../scopes.ts";
import { Asker } from "./asker.tsx";
import { type AssistantRequest, answer } from "./request.ts";

/** Who asks, for what: nothing is ticked, so that nobody agrees to more than they read. */
export function AgreementForm(props: { request: AssistantRequest; company: string; earlier: ApiKey[] }) {
  const { request, company, earlier } = props;
  const [isDone, setDone] = useState(false);

  const leave = (fields: Record<string, string>): void => {
    setDone(true);
    answer(request, fields);
  };
  const allow = useAction(async (ticked: Scope[], revokes: boolean, form: HTMLFormElement) => {
    if (ticked.length === 0) {
      form.querySelector<HTMLInputElement>('[name="scopes"]')?.focus();
      throw new Problem("field", "Tick at least one.", "scopes");
    }
    const { code } = await letAssistantRead(request.name, ticked, endAfter(90).toISOString(), request.boundTo);
    if (revokes) await Promise.all(earlier.map(({ id }) => revokeApiKey(id)));
    leave({ code });
  });

  return (
    <Form onSubmit={(entered, form) => void allow.run(scopesIn(entered), entered.has("revoke"), form)}>
      <Text>
        <Asker request={request} /> asks to read the data of <Name>{company}</Name>. What it reads goes to the company
        that runs the model.
      </Text>
      <Notice kind="warning">
        Continue only if you have just started this yourself, in that program. If somebody sent you this link, they
        would get the data.
      </Notice>
      <ScopesField
        label="What it may read"
        description="Tick only what you need it for."
        offered={readScopes}
        ticked={[]}
        error={allow.problem?.kind === "field" ? allow.problem.message : undefined}
      />
      <Earlier keys={earlier} name={request.name} />
      <Text size="sm" c="dimmed">
        It gets a key of its own, which works for 90 days and never writes. You can disconnect it at any time under
        Assistants.
      </Text>
      <Notice kind="problem">{allow.problem && allow.problem.kind !== "field" && allow.problem.message}</Notice>
      <Decision
        words="Let it read"
        pending={allow.pending || isDone}
        cancel="Refuse"
        onCancel={() => leave({ error: "access_denied" })}
      />
    </Form>
  );
}

/** Offers to revoke what the same program got before: otherwise each agreement leaves a key that nobody uses. */
function Earlier({ keys, name }: { keys: ApiKey[]; name: string }) {
  const [newest] = keys;
  if (!newest) return null;
  const label =
    keys.length === 1 ? (
      <>
        Revoke the key that {name} got on <When at={newest.created_at} as="day" />
      </>
    ) : (
      `Revoke the ${keys.length} keys that ${name} got before`
    );
  return <Checkbox name="revoke" label={label} />;
}
