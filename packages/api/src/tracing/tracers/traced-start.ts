import type { NetworkConfig } from "@cambium/config";
import type { TransactionOutcome } from "@cambium/evm";
import type { ExecutingBlock } from "@cambium/state";
import type { TracedMessage } from "../../calls/unsigned-transaction.js";
import type { TracePosition } from "./flat-call-tracer.js";

/** A message about to be executed, and its position. */
export interface TracedStart {
  network: NetworkConfig;
  message: TracedMessage;
  gasPrice: bigint;
  block: Pick<ExecutingBlock, "number" | "coinbase">;
  position: TracePosition;
}

/** The same message after its execution. */
export interface TracedEnd {
  outcome: TransactionOutcome;
  /** Position of its first log in the block. */
  firstLog: number;
}
