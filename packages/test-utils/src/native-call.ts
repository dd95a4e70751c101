import { type NetworkConfig, rulesAt } from "@cambium/config";
import type {
  AncestorReader,
  ExecutingBlock,
  ExecutingTransaction,
  NativeCallContext,
  WorldState,
} from "@cambium/state";
import { JournaledState, openState } from "@cambium/state";

import type { Log } from "@cambium/types";

/** A payment as reported to the tracer. */
export interface Payment {
  from: Uint8Array;
  to: Uint8Array;
  amount: bigint;
}

/** A context, and the effects that a contract has through it. */
export interface RecordedCall {
  context: NativeCallContext;
  logs: Log[];
  payments: Payment[];
}

export interface CallSetup {
  network: NetworkConfig;
  state: WorldState;
  block?: Partial<ExecutingBlock>;
  transaction?: Partial<ExecutingTransaction>;
  call?: Partial<Pick<NativeCallContext, "kind" | "caller" | "value" | "depth">>;
  transactionHash?: Uint8Array;
}

const NO_ANCESTORS: AncestorReader = {
  hash: () => undefined,
  header: () => undefined,
  uncles: () => undefined,
  totalDifficulty: () => undefined,
};

export function emptyState(): JournaledState {
  return new JournaledState(openState());
}

export function recordCall(setup: CallSetup): RecordedCall {
  const logs: Log[] = [];
  const payments: Payment[] = [];
  const block: ExecutingBlock = {
    number: 1,
    timestamp: 0n,
    parentHash: new Uint8Array(32),
    coinbase: new Uint8Array(20),
    difficulty: 1n,
    gasLimit: 10_000_000n,
    minimumGasPrice: 0n,
    ancestors: NO_ANCESTORS,
    ...setup.block,
  };
  const transaction: ExecutingTransaction = {
    hash: new Uint8Array(32),
    sender: new Uint8Array(20),
    isReward: false,
    isLocalCall: false,
    hasAcceptableSignature: true,
    gasPrice: 0n,
    ...setup.transaction,
  };
  const context: NativeCallContext = {
    network: setup.network,
    rules: rulesAt(setup.network, block.number),
    block,
    state: setup.state,
    transaction,
    kind: "transaction",
    caller: transaction.sender,
    value: 0n,
    depth: -1,
    transactionHash: () => setup.transactionHash ?? transaction.hash,
    log: (entry) => void logs.push(entry),
    payment: (from, to, amount) => void payments.push({ from, to, amount }),
    ...setup.call,
  };
  return { context, logs, payments };
}
