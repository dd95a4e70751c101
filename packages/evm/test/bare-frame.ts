import { NETWORKS, RULE_NAMES, type RuleName, type Rules } from "@cambium/config";
import { EMPTY_BYTES, fromHex } from "@cambium/primitives";
import { type ExecutingBlock, JournaledState, type KeyTracker, type NativeContract, openState } from "@cambium/state";

import { AnalysedCode } from "../src/code/analysed-code.js";
import { Execution } from "../src/execution.js";
import { type Frame, FramePool } from "../src/frame.js";
import { NativeRegistry } from "../src/native/native-registry.js";
import { precompiles } from "../src/precompiles/index.js";
import { runFrames } from "../src/run-frames.js";
import type { Tracer } from "../src/tracer.js";

export const SELF = fromHex("aa".repeat(20));
export const CALLER = fromHex("cc".repeat(20));

const NONE = () => undefined;

export const BLOCK: ExecutingBlock = {
  number: 2000,
  timestamp: 1_700_000_000n,
  parentHash: new Uint8Array(32),
  coinbase: CALLER,
  difficulty: 1n,
  gasLimit: 10_000_000n,
  minimumGasPrice: 0n,
  ancestors: { hash: NONE, header: NONE, uncles: NONE, totalDifficulty: NONE },
};

/** Returns rules that are all active, except RSKIP-555, whose gas differs, and the named ones. */
export function rulesWithout(...names: RuleName[]): Rules {
  return onlyRules(...RULE_NAMES.filter((name) => name !== "rskip555" && !names.includes(name)));
}

/** Returns rules of which only the named ones are active. */
export function onlyRules(...names: RuleName[]): Rules {
  return Object.fromEntries(RULE_NAMES.map((name) => [name, names.includes(name)])) as Rules;
}

export interface BareRun {
  rules?: Rules;
  gas?: number;
  depth?: number;
  isStatic?: boolean;
  input?: Uint8Array;
  /** Code of further accounts by address in hex. */
  codes?: Record<string, string>;
  /** Cells of the account that runs the code. */
  cells?: Record<number, bigint>;
  contracts?: readonly NativeContract[];
  tracer?: Tracer;
  tracker?: KeyTracker;
  /** Runs the code opcode by opcode, which is otherwise done only with a tracer. */
  stepByStep?: boolean;
}

export interface BareResult {
  frame: Frame;
  state: JournaledState;
  execution: Execution;
  gasUsed: number;
}

/** Runs code as one frame of `{aa x20}` with balance 1000, outside any transaction (`spec/04 §11.2`). */
export function runBare(code: string, options: BareRun = {}): BareResult {
  const state = new JournaledState(openState());
  state.createAccount(SELF);
  state.addBalance(SELF, 1000n);
  state.markContract(SELF);
  state.createAccount(CALLER);
  for (const [address, hex] of Object.entries(options.codes ?? {})) state.setCode(fromHex(address), fromHex(hex));
  for (const [slot, value] of Object.entries(options.cells ?? {})) state.setStorage(SELF, BigInt(slot), value);
  const rules = options.rules ?? rulesWithout();
  state.trackKeys(options.tracker);
  const execution = new Execution({
    network: NETWORKS.local,
    rules,
    block: BLOCK,
    state,
    transaction: {
      hash: new Uint8Array(32),
      sender: CALLER,
      isReward: false,
      isLocalCall: false,
      hasAcceptableSignature: true,
      gasPrice: 0n,
    },
    to: SELF,
    index: 0,
    natives: new NativeRegistry(options.contracts ?? precompiles).at(rules),
    deletedInList: new Set(),
    pool: new FramePool(),
    tracer: options.tracer,
  });
  const gas = options.gas ?? 1_000_000;
  const analysed = new AnalysedCode(fromHex(code));
  analysed.executed = options.stepByStep ? 0 : Number.POSITIVE_INFINITY;
  const frame = execution.open({
    kind: "call",
    depth: options.depth ?? 0,
    code: analysed,
    address: SELF,
    codeAddress: SELF,
    caller: CALLER,
    value: 0,
    input: options.input ?? EMPTY_BYTES,
    isStatic: options.isStatic ?? false,
    gas,
    checkpoint: state.checkpoint(),
    outOffset: 0,
    outSize: 0,
    reportsNativeCalls: true,
  });
  runFrames(frame, execution);
  return { frame, state, execution, gasUsed: gas - frame.gas };
}
