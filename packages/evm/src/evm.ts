import { type NetworkConfig, rulesAt } from "@cambium/config";
import type { ExecutingBlock, NativeContract, WorldState } from "@cambium/state";
import { FramePool } from "./frame.js";
import type {
  InterruptionCheck,
  LocalCall,
  LocalCallOutcome,
  TransactionOutcome,
  TransactionRun,
} from "./interface.js";
import { NativeRegistry } from "./native/native-registry.js";
import type { Tracer } from "./tracer.js";
import { executeLocalCall, executeSimulated, executeTransaction, type Machine } from "./transaction-executor.js";

/** Synchronous execution of transactions and calls on one network, one at a time. */
export interface Evm {
  /**
   * Executes a transaction of a block. Throws {@link TransactionRejected} with the state unchanged if no block can
   * contain it.
   */
  execute(run: TransactionRun): TransactionOutcome;
  /** Executes a call without lasting effect. Throws {@link TransactionRejected} if the call cannot start. */
  call(call: LocalCall, block: ExecutingBlock, state: WorldState, tracer?: Tracer): LocalCallOutcome;
  /**
   * Executes a call with the lasting effects of a transaction: nonce, fee and changes stay in `state`. Checks neither
   * nonce nor balance. Throws {@link TransactionRejected} with the state unchanged if the call cannot start.
   */
  simulate(call: LocalCall, block: ExecutingBlock, state: WorldState, tracer?: Tracer): LocalCallOutcome;
}

export interface EvmOptions {
  network: NetworkConfig;
  /** The precompiled and native contracts of all heights. */
  contracts: readonly NativeContract[];
  /** Ends executions in progress. */
  isInterrupted?: InterruptionCheck | undefined;
}

/** Creates a machine for a network. */
export function createEvm({ network, contracts, isInterrupted }: EvmOptions): Evm {
  const machine: Machine = { network, natives: new NativeRegistry(contracts), pool: new FramePool(), isInterrupted };
  return {
    execute: (run) => executeTransaction(run, rulesAt(network, run.block.number), machine),
    call: (call, block, state, tracer) =>
      executeLocalCall(call, { block, state, tracer }, rulesAt(network, block.number), machine),
    simulate: (call, block, state, tracer) =>
      executeSimulated(call, { block, state, tracer }, rulesAt(network, block.number), machine),
  };
}
