import type { SimulationChain } from "../calls/simulation.js";
import { executeOpened, openCall, type UnsignedRequest } from "../calls/unsigned-transaction.js";
import type { RpcConfig } from "../config.js";
import { type DebugTrace, TracerFactory } from "./selected-tracer.js";
import type { TraceOptions } from "./trace-options.js";

/** A call to trace: plain data that can be sent to another thread. */
export interface TraceCallRequest extends UnsignedRequest {
  options: TraceOptions;
}

/** Trace of a call that is executed as an unsigned transaction. Throws {@link RpcError} if it cannot start, or on a limit. */
export function traceCall(chain: SimulationChain, config: RpcConfig, request: TraceCallRequest): DebugTrace {
  const opened = openCall(chain, request);
  const factory = new TracerFactory(request.options, config);
  const { state } = opened.simulation;
  const observed = factory.observe(state);
  const tracer = factory.create(state);
  const outcome = executeOpened(opened, tracer, observed);
  return factory.result(tracer, opened.message, outcome, 0);
}
