import { echo, invalidParams } from "../errors.js";
import type { ParamType } from "../params/param-type.js";

/** Selects the results of `trace_call` and `trace_replay…`; the output is always among them. */
export interface TraceTypes {
  trace: boolean;
  stateDiff: boolean;
  vmTrace: boolean;
}

const NAMES = ["trace", "stateDiff", "vmTrace"] as const;

export const TRACE_TYPES: ParamType<TraceTypes> = {
  name: "TRACE_TYPES",
  schema: { type: "array", items: { enum: NAMES }, maxItems: NAMES.length },
  parse(value) {
    if (!Array.isArray(value) || value.length > NAMES.length) throw invalidParams("Invalid input");
    const unknown: unknown = value.find((one) => !NAMES.includes(one));
    if (unknown !== undefined) throw invalidParams(`Invalid trace type ${echo(unknown)}: expected ${NAMES.join(", ")}`);
    const [trace, stateDiff, vmTrace] = NAMES.map((name) => value.includes(name)) as [boolean, boolean, boolean];
    return { trace, stateDiff, vmTrace };
  },
};
