import { echo, invalidParams } from "../errors.js";
import type { ParamType } from "../params/param-type.js";
import { BOOLEAN, objectOf } from "../params/value-types.js";
import type { PrestateOptions } from "./prestate.js";

/** Options object of the `debug` traces (`spec/09 §12.1`). */
export interface TraceOptions extends PrestateOptions {
  tracer: "struct" | "call" | "prestate" | "4byte";
  onlyTopCall: boolean;
  withLog: boolean;
  disableMemory: boolean;
  disableStack: boolean;
}

const TRACERS: Readonly<Record<string, TraceOptions["tracer"]>> = {
  rsktracer: "struct",
  structtracer: "struct",
  calltracer: "call",
  prestatetracer: "prestate",
  "4bytetracer": "4byte",
};

/** The default tracer with all its output. */
export const DEFAULT_TRACE_OPTIONS: TraceOptions = {
  tracer: "struct",
  onlyTopCall: false,
  withLog: false,
  disableMemory: false,
  disableStack: false,
  disableStorage: false,
  diffMode: false,
  disableCode: false,
  includeEmpty: false,
};

/** Options are members of the object itself or of its `tracerConfig`; unknown ones are ignored. */
export const TRACE_OPTIONS: ParamType<TraceOptions> = {
  name: "TRACE_OPTIONS",
  schema: { $ref: "#/components/schemas/TraceOptions" },
  parse: parseTraceOptions,
};

/** Reads the options of a trace; other members are ignored. Throws {@link RpcError} `INVALID_PARAMS`. */
export function parseTraceOptions(value: unknown): TraceOptions {
  const { tracer, tracerConfig, ...own } = traceMembers(value);
  const members = { ...own, ...objectOf(tracerConfig ?? {}) };
  const flag = (name: string) => BOOLEAN.parse(members[name] ?? false);
  return {
    tracer: parseTracer(tracer ?? "structTracer"),
    onlyTopCall: flag("onlyTopCall"),
    withLog: flag("withLog"),
    disableMemory: flag("disableMemory"),
    disableStack: flag("disableStack"),
    disableStorage: flag("disableStorage"),
    diffMode: flag("diffMode"),
    disableCode: flag("disableCode"),
    includeEmpty: flag("includeEmpty"),
  };
}

/** Members of an options object; go-ethereum's client begins their names with a capital letter. */
export function traceMembers(value: unknown): Readonly<Record<string, unknown>> {
  const members = Object.entries(objectOf(value));
  return Object.fromEntries(members.map(([name, member]) => [name.charAt(0).toLowerCase() + name.slice(1), member]));
}

function parseTracer(value: unknown): TraceOptions["tracer"] {
  const name = typeof value === "string" ? value.toLowerCase() : "";
  if (!Object.hasOwn(TRACERS, name)) throw invalidParams(`Invalid tracer type: ${echo(value)}`);
  return TRACERS[name]!;
}
