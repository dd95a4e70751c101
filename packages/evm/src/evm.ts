import { type NetworkConfig, rulesAt } from "@cambium/config";
import type { ExecutingBlock, NativeContract, WorldState } from "@cambium/state";
import { FramePool } from "./frame.js";
import type { LocalCall, LocalCallOutcome, TransactionOutcome, TransactionRun } from "./interface.js";
import { NativeRegistry } from "./native-registry.js";
import type { Tracer } from "./tracer.js";
import { executeLocalCall, executeTransaction, type Machine } from "./transaction-executor.js";

/** Synchronous execution of transactions and calls on one network, one at a time. */
export interface Evm {
  /**
   * Executes a transaction of a block. Throws {@link TransactionRejected} with the state unchanged if no block can
   * contain it.
   */
  execute(run: TransactionRun): TransactionOutcome;
  /** Executes a call without lasting effect. Throws {@link TransactionRejected} if the call cannot start. */
  call(call: LocalCall, block: ExecutingBlock, state: WorldState, tracer?: Tracer): LocalCallOutcome;
}

/** Creates a machine for `network`; `contracts` are the precompiled and native contracts of all heights. */
export function createEvm(options: { network: NetworkConfig; contracts: readonly NativeContract[] }): Evm {
  const { network } = options;
  const machine: Machine = { network, natives: new NativeRegistry(options.contracts), pool: new FramePool() };
  return {
    execute: (run) => executeTransaction(run, rulesAt(network, run.block.number), machine),
    call: (call, block, state, tracer) =>
      executeLocalCall(call, { block, state, tracer }, rulesAt(network, block.number), machine),
  };
}
