import {
  logsSayRemoved,
  minedBlocksAreShownAsMined,
  receiptLogsSayRemoved,
  unclesHaveNoTransactions,
} from "./blocks.js";
import { allOf, type Decision, type DecisionContext, type RpcAnswer } from "./decision.js";
import { flatTraces, positionsCountInTheTransaction } from "./flat-traces.js";
import { poolTransactionsAreComplete, queuedTransactionsAreFound } from "./pool.js";
import { isSimulation, simulated } from "./simulation.js";
import { blockTraces, transactionTrace } from "./struct-traces.js";

/** Decisions about results, by method. */
const DECISIONS: Readonly<Record<string, Decision>> = {
  eth_getBlockByHash: minedBlocksAreShownAsMined,
  eth_getBlockByNumber: minedBlocksAreShownAsMined,
  eth_getUncleByBlockHashAndIndex: allOf(minedBlocksAreShownAsMined, unclesHaveNoTransactions),
  eth_getLogs: logsSayRemoved,
  eth_getTransactionByHash: queuedTransactionsAreFound,
  eth_getTransactionReceipt: receiptLogsSayRemoved,
  debug_traceTransaction: transactionTrace,
  debug_traceBlockByHash: blockTraces,
  debug_traceBlockByNumber: blockTraces,
  trace_transaction: flatTraces,
  trace_block: flatTraces,
  trace_filter: flatTraces,
  trace_get: positionsCountInTheTransaction,
  txpool_content: poolTransactionsAreComplete,
};

/** Converts a recorded response to the response of this node. */
export function byDecision(recorded: RpcAnswer, own: RpcAnswer, context: DecisionContext): RpcAnswer {
  const { method } = context.entry;
  if (isSimulation(method)) return simulated(recorded, own, context);
  if ("error" in recorded) return isSideTrace(recorded, method) ? { result: null } : recorded;
  const decision = DECISIONS[method];
  return decision === undefined ? recorded : { result: decision(recorded.result, context.own, context) };
}

/** Traces of transactions off the best chain are null with every tracer (`spec/09 §12.1`). */
function isSideTrace(recorded: Extract<RpcAnswer, { error: object }>, method: string): boolean {
  return method === "debug_traceTransaction" && recorded.error.code === -32603;
}
