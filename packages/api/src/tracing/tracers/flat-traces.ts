import { toData, toQuantity } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { failureReason } from "../../calls/simulation-failure.js";
import { addressData } from "../../objects/format.js";
import type { Action, CallNode } from "./frame-tree.js";

/** One trace of the `trace` module (`spec/09 §12.2`). */
export interface FlatTrace {
  action: Record<string, string>;
  blockHash: string;
  blockNumber: number;
  transactionHash: string;
  transactionPosition: number;
  type: "call" | "create" | "suicide";
  subtraces: number;
  traceAddress: readonly number[];
  result: Record<string, string> | null;
  error?: string;
}

type Position = Pick<FlatTrace, "blockHash" | "blockNumber" | "transactionHash" | "transactionPosition">;

/** A trace without the transaction that it is of. */
export type UnplacedTrace = Omit<FlatTrace, keyof Position>;

/** The parts of flat traces that differ between clients. */
export interface FlatStyle {
  /** Why a frame failed; undefined if it succeeded. */
  errorOf(node: CallNode): string | undefined;
  /** Whether a reverted frame has a result, its output. */
  revertsHaveResult: boolean;
  /** Whether the outermost creation names the opcode `create`. */
  namesOuterCreation: boolean;
}

/** Style of the `trace` module. */
const TRACE_MODULE: FlatStyle = { errorOf, revertsHaveResult: false, namesOuterCreation: false };

/** The traces of one call tree, each before its inner traces. */
export function unplacedTraces(tree: CallNode, style = TRACE_MODULE): UnplacedTrace[] {
  const traces: UnplacedTrace[] = [];
  addTraces(traces, tree, {}, [], style);
  return traces;
}

/** The traces of one transaction, each before its inner traces. */
export function flatTraces(block: Block, index: number, tree: CallNode): FlatTrace[] {
  const position = positionOf(block, index);
  const traces: FlatTrace[] = [];
  addTraces(traces, tree, position, [], TRACE_MODULE);
  return traces;
}

/** Returns the position of a transaction. */
export function positionOf(block: Block, index: number): Position {
  return {
    blockHash: toData(block.hash),
    blockNumber: block.number,
    transactionHash: toData(block.transactions[index]!.hash),
    transactionPosition: index,
  };
}

function addTraces<P extends object>(
  traces: (UnplacedTrace & P)[],
  node: CallNode,
  position: P,
  address: readonly number[],
  style: FlatStyle,
): void {
  const isCreation = node.kind === "create" || node.kind === "create2";
  const error = style.errorOf(node);
  const hasResult = error === undefined || (style.revertsHaveResult && node.failure === undefined);
  const shown = shownActions(node);
  traces.push({
    action: isCreation ? createAction(node, style.namesOuterCreation || address.length > 0) : callAction(node),
    ...position,
    type: isCreation ? "create" : "call",
    subtraces: shown.length,
    traceAddress: address,
    result: !hasResult ? null : isCreation ? createResult(node) : callResult(node),
    ...(error === undefined ? {} : { error }),
  });
  shown.forEach((action, i) => {
    if (action.type === "call") addTraces(traces, action.node, position, [...address, i], style);
    else traces.push({ action: suicideAction(action), ...position, ...SUICIDE, traceAddress: [...address, i] });
  });
}

const SUICIDE = { type: "suicide", subtraces: 0, result: null } as const;

/** Actions of a frame; self-destructs of a failed or reverted frame had no effect and are omitted. */
function shownActions(node: CallNode): Action[] {
  const undone = node.reverted || node.failure !== undefined;
  return undone ? node.actions.filter(({ type }) => type === "call") : node.actions;
}

function errorOf({ failure, reverted }: CallNode): string | undefined {
  if (failure !== undefined) return failureReason(failure);
  return reverted ? "Reverted" : undefined;
}

function callAction(node: CallNode): Record<string, string> {
  const delegates = node.kind === "delegatecall";
  return {
    callType: node.kind,
    from: addressData(delegates ? node.to : node.from),
    to: addressData(delegates ? node.codeAddress : node.to),
    gas: toQuantity(node.gas),
    input: toData(node.input),
    value: toQuantity(node.value),
  };
}

function createAction(node: CallNode, namesOpcode: boolean): Record<string, string> {
  return {
    from: addressData(node.from),
    gas: toQuantity(node.gas),
    init: toData(node.input),
    value: toQuantity(node.value),
    ...(namesOpcode ? { creationMethod: node.kind } : {}),
  };
}

function suicideAction({ address, beneficiary, amount }: Extract<Action, { type: "selfDestruct" }>) {
  return { address: toData(address), refundAddress: toData(beneficiary), balance: toQuantity(amount) };
}

function callResult(node: CallNode): Record<string, string> {
  return { gasUsed: toQuantity(node.gasUsed), output: toData(node.output) };
}

function createResult(node: CallNode): Record<string, string> {
  return { gasUsed: toQuantity(node.gasUsed), code: toData(node.output), address: addressData(node.to) };
}
