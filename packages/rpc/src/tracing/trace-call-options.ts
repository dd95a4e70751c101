import { BLOCK_OVERRIDES, type BlockOverrides, NO_BLOCK_OVERRIDES } from "../calls/block-overrides.js";
import { type AccountOverride, STATE_OVERRIDES } from "../calls/state-overrides.js";
import type { ParamType } from "../requests/param-type.js";
import { objectOf } from "../requests/value-types.js";
import { DEFAULT_TRACE_OPTIONS, parseTraceOptions, type TraceOptions } from "./trace-options.js";

/** Options of `debug_traceCall`: those of a trace, and what the call finds changed. */
export interface TraceCallOptions extends TraceOptions {
  overrides: readonly AccountOverride[];
  blockOverrides: BlockOverrides;
}

export const DEFAULT_TRACE_CALL_OPTIONS: TraceCallOptions = {
  ...DEFAULT_TRACE_OPTIONS,
  overrides: [],
  blockOverrides: NO_BLOCK_OVERRIDES,
};

export const TRACE_CALL_OPTIONS: ParamType<TraceCallOptions> = {
  name: "TRACE_CALL_OPTIONS",
  schema: { $ref: "#/components/schemas/TraceCallOptions" },
  parse(value) {
    const { stateOverrides, blockOverrides } = objectOf(value);
    return {
      ...parseTraceOptions(value),
      overrides: STATE_OVERRIDES.parse(stateOverrides ?? {}),
      blockOverrides: BLOCK_OVERRIDES.parse(blockOverrides ?? {}),
    };
  },
};
