import { createBridgeContract } from "@cambium/bridge";
import { BRIDGE_ADDRESS, rulesAt } from "@cambium/config";
import { nativeFailure } from "@cambium/evm";
import { fromHex, toHex } from "@cambium/primitives";
import type { NativeCallContext } from "@cambium/state";
import type { Log } from "@cambium/types";
import type { CaseResult } from "../interface.js";
import { RECORDED_LOCAL } from "../networks.js";
import { publicKeyOf } from "./trace-keys.js";
import { type CellChange, TracedState } from "./traced-state.js";

/** A trace: calls to the bridge on the local network, one after the other on one state. */
export interface TraceFile {
  readonly name: string;
  readonly steps: readonly TraceStep[];
}

interface TraceStep {
  readonly step: string;
  /** Runs on a copy of the state that is dropped. */
  readonly localCall?: boolean;
  readonly blockNumber: number;
  readonly timestamp: number;
  readonly sender?: string;
  /** The value moves before the call, and back when it fails. */
  readonly viaContract?: boolean;
  readonly callType?: string;
  readonly txHash?: string;
  readonly originTxHash?: string;
  readonly valueWei?: string;
  readonly data: string;
  readonly bridgeGas: number;
  readonly output: string | null;
  readonly threw: boolean;
  readonly logs?: readonly { readonly topics: readonly string[]; readonly data: string }[];
  /** Omitted if it would be long. */
  readonly storageDiff?: readonly CellChange[];
  readonly storageDigest?: string;
  readonly storageCells?: number;
  readonly bridgeBalanceWei?: string;
}

const NETWORK = RECORDED_LOCAL;
const INITIAL_BALANCE = 21_000_000n * 10n ** 18n;
const contract = createBridgeContract();

/** One case per step. A trace that does not start with an empty bridge continues the previous trace. */
export function* runTraces(traces: readonly TraceFile[]): Iterable<CaseResult> {
  let state: TracedState | undefined;
  for (const trace of traces) {
    if (beginsEmpty(trace)) state = new TracedState(INITIAL_BALANCE);
    if (state === undefined) {
      yield { name: trace.name, outcome: "failed", reason: "the trace that it continues is not among the files" };
      continue;
    }
    for (const [index, step] of trace.steps.entries()) {
      yield { name: `${trace.name}/${index} ${step.step}`, ...runStep(state, step) };
    }
  }
}

/** Whether the first recorded step created every cell that exists after it. */
function beginsEmpty({ steps }: TraceFile): boolean {
  const first = steps.find((step) => step.storageDigest !== undefined);
  const written = first?.storageDiff?.filter(({ value }) => value !== null).length;
  return first === undefined || written === first.storageCells;
}

type Outcome = Pick<CaseResult, "outcome" | "reason">;

/** Runs a step. If it fails or its result differs, the state continues as recorded in the trace. */
function runStep(traced: TracedState, step: TraceStep): Outcome {
  const before = traced.state.checkpoint();
  const outcome = judge(traced, step);
  if (step.localCall === true) {
    traced.state.revertTo(before);
  } else if (outcome.outcome !== "passed" && step.storageDiff !== undefined) {
    traced.state.revertTo(before);
    traced.apply(step.storageDiff, BigInt(step.bridgeBalanceWei ?? traced.balance));
  }
  return outcome;
}

function judge(traced: TracedState, step: TraceStep): Outcome {
  try {
    const different = [...differences(step, call(traced, step)), ...stateDifferences(step, traced)];
    return different.length === 0 ? { outcome: "passed" } : { outcome: "failed", reason: different.join("; ") };
  } catch (error) {
    return { outcome: "failed", reason: String(error) };
  }
}

/** Result of a call. */
interface Called {
  gas: number;
  /** Null if the call failed. */
  output: string | null;
  failure?: string;
  logs: readonly Log[];
}

function call(traced: TracedState, step: TraceStep): Called {
  const { state } = traced;
  const sender = fromHex(step.sender ?? "00".repeat(20));
  const value = BigInt(step.valueWei ?? 0);
  const before = state.checkpoint();
  if (step.viaContract === true) state.transfer(sender, BRIDGE_ADDRESS, value);
  const logs: Log[] = [];
  const context = contextOf(traced, step, sender, logs);
  const data = step.data === "" ? null : fromHex(step.data);
  const gas = contract.gas(data, context);
  try {
    const output = contract.execute(data, context);
    if (step.viaContract !== true) state.transfer(sender, BRIDGE_ADDRESS, value);
    return { gas, output: toHex(output ?? new Uint8Array(0)), logs };
  } catch (error) {
    const { message } = nativeFailure(contract, error);
    if (step.viaContract === true) state.revertTo(before);
    return { gas, output: null, failure: message, logs };
  }
}

function contextOf({ state }: TracedState, step: TraceStep, sender: Uint8Array, logs: Log[]): NativeCallContext {
  const { blockNumber: number, timestamp, viaContract = false } = step;
  const hash = fromHex(step.txHash ?? "00".repeat(32));
  return {
    network: NETWORK,
    rules: rulesAt(NETWORK, number),
    state,
    block: {
      number,
      timestamp: BigInt(timestamp),
      parentHash: new Uint8Array(32),
      coinbase: new Uint8Array(20),
      difficulty: 1n,
      gasLimit: 10_000_000n,
      minimumGasPrice: 0n,
      ancestors: {
        hash: () => undefined,
        header: () => undefined,
        uncles: () => undefined,
        totalDifficulty: () => undefined,
      },
    },
    transaction: {
      hash: step.originTxHash === undefined ? hash : fromHex(step.originTxHash),
      sender,
      isReward: false,
      isLocalCall: step.localCall === true,
      hasAcceptableSignature: true,
      gasPrice: 0n,
      signerKey: () => publicKeyOf(sender),
    },
    kind: viaContract ? ((step.callType ?? "CALL").toLowerCase() as NativeCallContext["kind"]) : "transaction",
    caller: sender,
    value: BigInt(step.valueWei ?? 0),
    depth: viaContract ? 0 : -1,
    transactionHash: () => hash,
    log: (entry) => void logs.push(entry),
    payment: () => {},
  };
}

function* differences(step: TraceStep, called: Called): Iterable<string> {
  if (called.gas !== step.bridgeGas) yield `gas ${called.gas}, not ${step.bridgeGas}`;
  if (step.threw && called.output !== null) yield "must throw";
  else if (!step.threw && called.failure !== undefined) yield `threw ${called.failure}`;
  else if (!step.threw && called.output !== (step.output ?? "")) yield `output ${called.output}, not ${step.output}`;
  if (step.logs === undefined) return;
  const actual = called.logs.map(({ topics, data }) => [...topics, data].map(toHex).join(" "));
  const expected = step.logs.map(({ topics, data }) => [...topics, data].join(" "));
  if (actual.join("|") !== expected.join("|")) yield `logs ${actual.join("|")}`;
}

function* stateDifferences(step: TraceStep, traced: TracedState): Iterable<string> {
  if (step.storageDigest === undefined) return;
  const { cells, digest } = traced.digest();
  if (digest !== step.storageDigest) yield `storage of ${cells} cells, not ${step.storageCells}`;
  if (String(traced.balance) !== step.bridgeBalanceWei) yield `balance ${traced.balance}, not ${step.bridgeBalanceWei}`;
}
