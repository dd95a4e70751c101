import { type NetworkConfig, rulesAt } from "@cambium/config";
import type { ExecutingBlock, NativeContract, WorldState } from "@cambium/state";
import { FramePool } from "./frame.js";
import type { LocalCall, LocalCallOutcome, TransactionOutcome, TransactionRun } from "./interface.js";
import { NativeRegistry } from "./native-registry.js";
import type { Tracer } from "./tracer.js";
import { executeLocalCall, executeTransaction, type Machine } from "./transaction-executor.js";

/** Synchronous execution of transactions and calls on one network. One execution at a time. */
export interface Evm {
  /** Executes a transaction of a block; throws `TransactionRejected` with the state untouched. */
  execute(run: TransactionRun): TransactionOutcome;
  /** Executes a call that leaves no trace; throws `TransactionRejected` where it cannot even start. */
  call(call: LocalCall, block: ExecutingBlock, state: WorldState, tracer?: Tracer): LocalCallOutcome;
}

/** A machine for `network`; `contracts` are all precompiled and native contracts of any height. */
export function createEvm(options: { network: NetworkConfig; contracts: readonly NativeContract[] }): Evm {
  const { network } = options;
  const machine: Machine = { network, natives: new NativeRegistry(options.contracts), pool: new FramePool() };
  return {
    execute: (run) => executeTransaction(run, rulesAt(network, run.block.number), machine),
    call: (call, block, state, tracer) =>
      executeLocalCall(call, { block, state, tracer }, rulesAt(network, block.number), machine),
  };
}
