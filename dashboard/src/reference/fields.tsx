import type { Field } from "./contents.ts";
import { Html } from "./html.tsx";
import classes from "./reference.module.css";

/** Parameters, fields or headers: name, type and what they mean. */
export function Fields({ fields }: { fields: Field[] }) {
  return (
    <dl className={classes.fields}>
      {fields.map(({ name, type, html }) => (
        <div key={name}>
          <dt>
            <code>{name}</code> <span>{type}</span>
          </dt>
          <dd>
            <Html>{html}</Html>
          </dd>
        </div>
      ))}
    </dl>
  );
}
