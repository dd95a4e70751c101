import { type Counter, counter, DURATIONS, type Histogram, histogram } from "@cambium/primitives";

/** The measurements of one method. */
export interface MethodMeasurements {
  readonly time: Histogram;
  readonly errors: Counter;
}

/** Label of methods that do not exist or are disabled: clients choose their names. */
export const UNKNOWN_METHOD = measurementsOf("unknown");

/** Returns the measurements of a method, under this project's name for it. */
export function measurementsOf(method: string): MethodMeasurements {
  const time = histogram("cambium_rpc_request_seconds", "Time of a JSON-RPC request, by method", DURATIONS, { method });
  const help = "JSON-RPC requests that were answered with an error";
  return { time, errors: counter("cambium_rpc_errors_total", help, { method }, time) };
}
