import { Name } from "../parts/name.tsx";
import type { AssistantRequest } from "./request.ts";

/** Who asks: a known host with its address, or what a program on this computer calls itself. */
export function Asker({ request: { host, name, redirectUri } }: { request: AssistantRequest }) {
  if (host === null)
    return (
      <>
        A program on this computer that calls itself “<Name>{name}</Name>”
      </>
    );
  return (
    <>
      <b>{host}</b> (<span translate="no">{new URL(redirectUri).host}</span>)
    </>
  );
}
