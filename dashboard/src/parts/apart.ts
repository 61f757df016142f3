import { type ReactNode, useEffect, useState } from "react";

type Component<Props> = (props: Props) => ReactNode;

/** Loads a component whose file is apart: only those who need it wait for it. */
export type Apart<Props> = () => Promise<{ default: Component<Props> }>;

/** The component, once it has arrived. Not `lazy`: React would show nothing for 300 ms after the fallback of its Suspense. */
export function useApart<Props>(load: Apart<Props> | undefined): Component<Props> | undefined {
  const [arrived, setArrived] = useState(new Map<typeof load, Component<Props>>());
  useEffect(() => {
    // Where it would be drawn, the boundary shows what failed.
    const failed = (error: unknown) => (): never => {
      throw error;
    };
    const loaded = load?.().then((file) => file.default, failed);
    void loaded?.then((component) => setArrived((others) => new Map(others).set(load, component)));
  }, [load]);
  return arrived.get(load);
}
