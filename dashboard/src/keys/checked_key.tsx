import { Code, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import { Notice } from "../parts/notice.tsx";
import type { KeyCheck } from "./check_key.ts";
import classes from "./keys.module.css";

/** What the API returned for a key: version, scopes, and endpoints, with the scope that a closed one needs. */
export function CheckedKey({ checked }: { checked: KeyCheck }) {
  const result = useRef<HTMLDivElement>(null);
  useEffect(() => {
    result.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div ref={result} className={classes.checked}>
      <Notice kind="done">
        <Text fw={600} size="sm" className={classes.breakable}>
          {checked.key_name} works: it opens data of {checked.company_name}.
        </Text>
        <dl className={classes.facts}>
          <dt>Version</dt>
          <dd>{checked.version}</dd>
          <dt>Scopes</dt>
          <dd>{checked.scopes.join(", ")}</dd>
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
                      closed: needs {scope}
                    </Text>
                  )}
                </li>
              ))}
            </ul>
          </dd>
        </dl>
      </Notice>
    </div>
  );
}
