import { echo, invalidParams } from "../errors.js";
import type { ParamType } from "../params/param-type.js";
import { BOOLEAN, NUMBER, objectOf } from "../params/value-types.js";
import type { JavascriptOptions } from "./tracers/javascript-tracer.js";
import type { PrestateOptions } from "./tracers/prestate.js";

/** Options object of the `debug` traces (`spec/09 §12.1`). */
export interface TraceOptions extends PrestateOptions {
  tracer: "struct" | "call" | "flatCall" | "prestate" | "4byte" | "erc7562" | "noop" | "mux" | "javascript";
  onlyTopCall: boolean;
  withLog: boolean;
  enableMemory: boolean;
  enableReturnData: boolean;
  /** Milliseconds after which the request fails; 0: only the node's own time limit holds. */
  timeout: number;
  /** Maximum number of steps; 0: no limit. */
  limit: number;
  /** Number of first steps that the default tracer omits; if set, the trace contains the total number of steps. */
  offset: number | undefined;
  /** Option of the deployed client's default tracer only; other tracers omit the memory unless it is enabled. */
  disableMemory: boolean;
  disableStack: boolean;
  convertParityErrors: boolean;
  includePrecompiles: boolean;
  ignoredOpcodes: readonly number[] | undefined;
  /** The tracers of `muxTracer`, with the names that the client gave them. */
  tracers: readonly { name: string; options: TraceOptions }[];
  /** The code of a tracer in JavaScript. */
  javascript?: JavascriptOptions;
}

const TRACERS: Readonly<Record<string, TraceOptions["tracer"]>> = {
  rsktracer: "struct",
  structtracer: "struct",
  calltracer: "call",
  flatcalltracer: "flatCall",
  prestatetracer: "prestate",
  "4bytetracer": "4byte",
  erc7562tracer: "erc7562",
  nooptracer: "noop",
  muxtracer: "mux",
};

/** The default tracer with all its output. */
export const DEFAULT_TRACE_OPTIONS: TraceOptions = {
  tracer: "struct",
  onlyTopCall: false,
  withLog: false,
  enableMemory: false,
  enableReturnData: false,
  timeout: 0,
  limit: 0,
  offset: undefined,
  disableMemory: false,
  disableStack: false,
  disableStorage: false,
  diffMode: false,
  disableCode: false,
  includeEmpty: false,
  convertParityErrors: false,
  includePrecompiles: false,
  ignoredOpcodes: undefined,
  tracers: [],
};

/** Options are members of the object itself or of its `tracerConfig`; unknown ones are ignored. */
export const TRACE_OPTIONS: ParamType<TraceOptions> = {
  name: "TRACE_OPTIONS",
  schema: { $ref: "#/components/schemas/TraceOptions" },
  parse: parseTraceOptions,
};

/** Reads the options of a trace; other members are ignored. Throws {@link RpcError} `INVALID_PARAMS`. */
export function parseTraceOptions(value: unknown): TraceOptions {
  const { tracer: name, tracerConfig, ...own } = traceMembers(value);
  if (Object.keys(objectOf(own.overrides ?? {})).length > 0) {
    throw invalidParams("overrides of the chain's rules are not supported");
  }
  const config = objectOf(tracerConfig ?? {});
  const members = { ...own, ...config };
  const flag = (name: string) => BOOLEAN.parse(members[name] ?? false);
  const tracer = parseTracer(name ?? "structTracer");
  return {
    tracer,
    onlyTopCall: flag("onlyTopCall"),
    withLog: flag("withLog"),
    enableMemory: flag("enableMemory"),
    enableReturnData: flag("enableReturnData"),
    timeout: parseTimeout(own.timeout),
    limit: parseCount("limit", members.limit),
    offset: members.offset === undefined ? undefined : parseCount("offset", members.offset),
    disableMemory: flag("disableMemory"),
    disableStack: flag("disableStack"),
    disableStorage: flag("disableStorage"),
    diffMode: flag("diffMode"),
    disableCode: flag("disableCode"),
    includeEmpty: flag("includeEmpty"),
    convertParityErrors: flag("convertParityErrors"),
    includePrecompiles: flag("includePrecompiles"),
    ignoredOpcodes: parseOpcodes(members.ignoredOpcodes),
    tracers: tracer === "mux" ? parseTracers(config) : [],
    ...(tracer === "javascript" ? { javascript: { source: String(name), config: JSON.stringify(config) } } : {}),
  };
}

/** Maximum number of JavaScript tracers in one `muxTracer`. Each of them has its own memory. */
const MAX_SCRIPTS = 4;

/**
 * The tracers in the configuration of `muxTracer`: options by name or code, each named tracer at most once.
 */
function parseTracers(config: Readonly<Record<string, unknown>>): TraceOptions["tracers"] {
  const tracers = Object.entries(config).map(([name, tracerConfig]) => {
    return { name, options: parseTraceOptions({ tracer: name, tracerConfig: tracerConfig ?? {} }) };
  });
  const named = tracers.map(({ options }) => options.tracer).filter((tracer) => tracer !== "javascript");
  const scripts = tracers.length - named.length;
  if (scripts > MAX_SCRIPTS) {
    throw invalidParams(`muxTracer can run ${MAX_SCRIPTS} tracers in JavaScript, not ${scripts}`);
  }
  if (named.includes("mux")) throw invalidParams("muxTracer cannot run another muxTracer");
  if (new Set(named).size < named.length) throw invalidParams("muxTracer can run each tracer once");
  return tracers;
}

function parseOpcodes(value: unknown): readonly number[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length > 256) throw invalidParams("Invalid ignoredOpcodes");
  return value.map((opcode) => Number(NUMBER.parse(opcode)));
}

/** Maximum length of a duration, in characters. */
const MAX_DURATION_TEXT = 100;

/** Members of an options object; go-ethereum's client begins their names with a capital letter. */
export function traceMembers(value: unknown): Readonly<Record<string, unknown>> {
  const members = Object.entries(objectOf(value));
  return Object.fromEntries(members.map(([name, member]) => [name.charAt(0).toLowerCase() + name.slice(1), member]));
}

/** Milliseconds of the units of Go's durations. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 36e5,
};
const DURATION_PART = /(\d+\.?\d*|\.\d+)([mnuµμ]?s|[mh])/y;

/** Parses a duration as in Go, such as `1m2.5s`, which must be positive. Returns milliseconds, 0 for none. */
function parseTimeout(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const refusal = invalidParams(`Invalid timeout ${echo(value)}: expected a duration such as 5s or 300ms`);
  if (typeof value !== "string" || value.length > MAX_DURATION_TEXT) throw refusal;
  let sum = 0;
  const parts = new RegExp(DURATION_PART);
  while (parts.lastIndex < value.length) {
    const [, number, unit] = parts.exec(value) ?? [];
    if (unit === undefined) throw refusal;
    sum += Number(number) * UNITS[unit]!;
  }
  if (sum === 0) throw refusal;
  return sum;
}

function parseCount(name: "limit" | "offset", value: unknown): number {
  const count = typeof value === "string" ? Number(value) : (value ?? 0);
  if (typeof count === "number" && Number.isSafeInteger(count) && count >= 0) return count;
  throw invalidParams(`Invalid ${name}: ${echo(value)}`);
}

function parseTracer(value: unknown): TraceOptions["tracer"] {
  const name = typeof value === "string" ? value.toLowerCase() : "";
  // No name has a brace; code that makes an object has one.
  if (name.includes("{")) return "javascript";
  if (!Object.hasOwn(TRACERS, name)) throw invalidParams(`Invalid tracer type: ${echo(value)}`);
  return TRACERS[name]!;
}
