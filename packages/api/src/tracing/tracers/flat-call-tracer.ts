import { type FlatStyle, type FlatTrace, unplacedTraces } from "./flat-traces.js";
import type { CallNode } from "./frame-tree.js";
import { callError } from "./go-ethereum-texts.js";

/** Options of `flatCallTracer`. */
export interface FlatCallOptions {
  convertParityErrors: boolean;
}

/** Position of the traced transaction; null hashes for a call. */
export type TracePosition = Pick<FlatTrace, "blockNumber" | "transactionPosition"> & {
  blockHash: string | null;
  transactionHash: string | null;
};

export const NOWHERE: TracePosition = {
  blockHash: null,
  blockNumber: 0,
  transactionHash: null,
  transactionPosition: 0,
};

/** One trace of `flatCallTracer`; `result` is absent if the frame failed. */
export type FlatCall = Omit<FlatTrace, keyof TracePosition | "result"> &
  TracePosition & { result?: Record<string, string> };

/** Texts of OpenEthereum by the beginning of go-ethereum's. */
const PARITY_ERRORS: readonly [string, string][] = [
  ["contract creation code storage out of gas", "Out of gas"],
  ["out of gas", "Out of gas"],
  ["gas uint64 overflow", "Out of gas"],
  ["max code size exceeded", "Out of gas"],
  ["invalid jump destination", "Bad jump destination"],
  ["execution reverted", "Reverted"],
  ["return data out of bounds", "Out of bounds"],
  ["stack limit reached", "Out of stack"],
  ["stack underflow", "Stack underflow"],
  ["precompiled contract failed", "Built-in failed"],
  ["invalid opcode:", "Bad instruction"],
];

/** The traces of a transaction as go-ethereum's `flatCallTracer` shows them, each before its inner traces. */
export function flatCalls(tree: CallNode, position: TracePosition, options: FlatCallOptions): FlatCall[] {
  const style: FlatStyle = {
    errorOf: (node) => (options.convertParityErrors ? parityError(callError(node)) : callError(node)),
    revertsHaveResult: true,
    namesOuterCreation: true,
  };
  return unplacedTraces(tree, style).map(({ result, ...trace }) => {
    return { ...trace, ...position, ...(result === null ? {} : { result }) };
  });
}

function parityError(text: string | undefined): string | undefined {
  return PARITY_ERRORS.find(([start]) => text?.startsWith(start))?.[1] ?? text;
}
