import { echo, invalidParams } from "../errors.js";
import type { ParamType } from "../requests/param-type.js";
import { BOOLEAN, objectOf } from "../requests/value-types.js";
import type { PrestateOptions } from "./prestate.js";

/** Options object of the `debug` traces (`spec/09 §12.1`). */
export interface TraceOptions extends PrestateOptions {
  tracer: "struct" | "call" | "prestate" | "4byte";
  onlyTopCall: boolean;
  withLog: boolean;
  enableMemory: boolean;
  enableReturnData: boolean;
  /** Maximum number of steps; 0: no limit. */
  limit: number;
  /** Only the deployed client's default tracer has this one; others omit the memory unless it is enabled. */
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
  enableMemory: false,
  enableReturnData: false,
  limit: 0,
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
    enableMemory: flag("enableMemory"),
    enableReturnData: flag("enableReturnData"),
    limit: parseLimit(members.limit),
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

function parseLimit(value: unknown): number {
  const limit = typeof value === "string" ? Number(value) : (value ?? 0);
  if (typeof limit === "number" && Number.isSafeInteger(limit) && limit >= 0) return limit;
  throw invalidParams(`Invalid limit: ${echo(value)}`);
}

function parseTracer(value: unknown): TraceOptions["tracer"] {
  const name = typeof value === "string" ? value.toLowerCase() : "";
  if (!Object.hasOwn(TRACERS, name)) throw invalidParams(`Invalid tracer type: ${echo(value)}`);
  return TRACERS[name]!;
}
