import { echo, invalidParams } from "../errors.js";
import type { ParamType } from "../params/param-type.js";

/** What `trace_call` and `trace_replay…` return besides the output. */
export interface TraceTypes {
  trace: boolean;
  stateDiff: boolean;
}

const NAMES = ["trace", "stateDiff"] as const;

export const TRACE_TYPES: ParamType<TraceTypes> = {
  name: "TRACE_TYPES",
  schema: { type: "array", items: { enum: NAMES }, maxItems: NAMES.length },
  parse(value) {
    if (!Array.isArray(value) || value.length > NAMES.length + 1) throw invalidParams("Invalid input");
    if (value.includes("vmTrace")) {
      throw invalidParams("vmTrace is not supported; debug_traceTransaction and debug_traceCall trace single steps");
    }
    const unknown: unknown = value.find((one) => !NAMES.includes(one));
    if (unknown !== undefined) throw invalidParams(`Invalid trace type ${echo(unknown)}: expected trace or stateDiff`);
    return { trace: value.includes("trace"), stateDiff: value.includes("stateDiff") };
  },
};
