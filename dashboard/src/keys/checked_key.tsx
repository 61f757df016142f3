import { Code, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { Name } from "../parts/name.tsx";
import { Notice } from "../parts/notice.tsx";
import type { KeyCheck } from "./check_key.ts";
import classes from "./keys.module.css";

/** What the API returned for a key: version, scopes, and endpoints, with the scope that is missing for one. */
export function CheckedKey({ checked }: { checked: KeyCheck | null }) {
  const result = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (checked) result.current?.scrollIntoView({ block: "nearest" });
  }, [checked]);
  return (
    <div ref={result} className={classes.checked}>
      <Notice kind="done">
        {checked && (
          <>
            <Text fw={600} size="sm">
              <Name>{checked.key_name}</Name> works: it opens data of <Name>{checked.company_name}</Name>.
            </Text>
            <dl className={classes.facts}>
              <dt>Version</dt>
              <dd>{checked.version}</dd>
              <dt>Scopes</dt>
              <dd translate="no">{checked.scopes.join(", ")}</dd>
              <dt>Endpoints</dt>
              <dd>
                <ul className={classes.endpoints}>
                  {checked.endpoints.map(({ method, path, scope }) => (
                    <li key={`${method} ${path}`}>
                      <Code>
                        {method} {path}
                      </Code>
                      {scope !== null && !checked.scopes.includes(scope) && (
                        <Text span size="sm" c="dimmed">
                          {" "}
                          no access (needs <bdi translate="no">{scope}</bdi>)
                        </Text>
                      )}
                    </li>
                  ))}
                </ul>
              </dd>
            </dl>
          </>
        )}
      </Notice>
    </div>
  );
}
