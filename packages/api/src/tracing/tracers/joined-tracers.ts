import type { Tracer } from "@cambium/evm";

const HOOKS = [
  "enter",
  "enterNative",
  "step",
  "stepDone",
  "stepFailed",
  "log",
  "payment",
  "selfDestruct",
  "exit",
  "exitNative",
  "deposit",
  "end",
] as const satisfies readonly (keyof Tracer)[];

/** One tracer that passes everything to several, in their order. */
export function joinedTracers(tracers: readonly Tracer[]): Tracer {
  const joined: Record<string, unknown> = {};
  for (const hook of HOOKS) {
    const listeners = tracers.filter((tracer) => tracer[hook] !== undefined) as Record<
      string,
      (...of: never[]) => void
    >[];
    if (listeners.length === 0) continue;
    joined[hook] = (...event: never[]) => {
      for (const listener of listeners) Reflect.apply(listener[hook]!, listener, event);
    };
  }
  return joined as Tracer;
}
