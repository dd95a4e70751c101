import { fromHex } from "@cambium/primitives";
import { allOf, type Decision, type DecisionContext, type Json } from "./decision.js";
import { failureReason } from "./failure-texts.js";

// Decisions of spec/09 §12.2. Each rule is about one trace; flat lists are compared as the trees they represent.

interface TraceTree {
  trace: Json;
  children: TraceTree[];
}

/** The input of a nested call is its own, not the transaction's. */
const nestedInputIsOwn: Decision = (recorded, own) => {
  if (recorded.type !== "call" || own.traceAddress.length === 0) return recorded;
  return { ...recorded, action: { ...recorded.action, input: own.action.input } };
};

/** The top call also has its output. */
const topCallHasOutput: Decision = (recorded, own) => {
  if (recorded.type !== "call" || !recorded.result || (recorded.result.output ?? "0x") !== "0x") return recorded;
  return { ...recorded, result: { ...recorded.result, output: own.result?.output } };
};

/** A plain transfer has the gas that remains after the transaction's intrinsic cost. */
const transfersHaveGas: Decision = (recorded, own) => {
  if (recorded.type === "suicide" || recorded.action.gas !== "0x0") return recorded;
  return { ...recorded, action: { ...recorded.action, gas: own.action.gas } };
};

/** Errors other than "Reverted" have the wording of `spec/09 §8.2`. */
const errorsAreReasons: Decision = (recorded) => {
  return recorded.error === undefined ? recorded : { ...recorded, error: failureReason(recorded.error) };
};

/** Traces of a block name that block, even if its transactions are in another block as well. */
const tracesNameTheirBlock: Decision = (recorded, own) => {
  const { blockHash, blockNumber, transactionPosition } = own;
  return { ...recorded, blockHash, blockNumber, transactionPosition };
};

/** The gas used is the receipt's on side chains as well, where the reference does not find the receipt. */
const sideBlocksUseGas: Decision = (recorded, own, { chain }) => {
  if (own.traceAddress.length > 0 || !recorded.result) return recorded;
  const isSide = !chain.isOnBestChain(fromHex(own.blockHash.slice(2)));
  return isSide ? { ...recorded, result: { ...recorded.result, gasUsed: own.result.gasUsed } } : recorded;
};

const oneTrace = allOf(
  nestedInputIsOwn,
  topCallHasOutput,
  transfersHaveGas,
  errorsAreReasons,
  tracesNameTheirBlock,
  sideBlocksUseGas,
);

/** A flat list of traces. */
export const flatTraces: Decision = (recorded, own, context) => {
  if (!Array.isArray(recorded) || !Array.isArray(own)) return recorded;
  const ownTrees = new Map(treesOf(own).map((tree) => [keyOf(tree.trace), tree]));
  return treesOf(recorded).flatMap((tree) => flatten(decided(tree, ownTrees.get(keyOf(tree.trace)), context)));
};

function keyOf({ transactionHash, traceAddress }: Json): string {
  return `${transactionHash} ${traceAddress}`;
}

function decided(recorded: TraceTree, own: TraceTree | undefined, context: DecisionContext): TraceTree {
  if (own === undefined) return recorded;
  const kept = withoutUndoneSuicides(recorded);
  const removed = recorded.children.length - kept.length;
  const children: TraceTree[] = [];
  for (const child of own.children) {
    if (isMissingCreation(child, kept[0])) children.push(child);
    else if (kept.length > 0) children.push(decided(kept.shift()!, child, context));
  }
  const inserted = children.filter((child) => own.children.includes(child)).length;
  const trace = oneTrace(recorded.trace, own.trace, context);
  const subtraces = trace.subtraces + inserted - removed;
  const all = [...children, ...kept];
  // A truncated list may lack children, but does not change the addresses of the others.
  const placed = inserted + removed === 0 ? all : all.map((child, i) => placedAt(child, [...trace.traceAddress, i]));
  return { trace: { ...trace, subtraces }, children: placed };
}

function placedAt({ trace, children }: TraceTree, traceAddress: readonly number[]): TraceTree {
  return {
    trace: { ...trace, traceAddress },
    children: children.map((child) => placedAt(child, [...traceAddress, child.trace.traceAddress.at(-1)])),
  };
}

/** Removes the self-destructs of a reverted frame, which were undone. */
function withoutUndoneSuicides({ trace, children }: TraceTree): TraceTree[] {
  return trace.error === undefined ? [...children] : children.filter((child) => child.trace.type !== "suicide");
}

/** Failed creations are included; the reference omits them. */
function isMissingCreation(own: TraceTree, recorded: TraceTree | undefined): boolean {
  if (own.trace.type !== "create" || own.trace.error === undefined) return false;
  return recorded?.trace.type !== "create" || recorded.trace.action.init !== own.trace.action.init;
}

/** A list whose start was cut off begins with traces whose parents are missing: each of them is the root of a tree. */
function treesOf(traces: readonly Json[]): TraceTree[] {
  const trees = new Map<string, TraceTree>();
  const roots: TraceTree[] = [];
  for (const trace of traces) {
    const tree = { trace, children: [] };
    const parent = trees.get(keyOf({ ...trace, traceAddress: trace.traceAddress.slice(0, -1) }));
    if (trace.traceAddress.length > 0 && parent !== undefined) parent.children.push(tree);
    else roots.push(tree);
    trees.set(keyOf(trace), tree);
  }
  return roots;
}

function flatten({ trace, children }: TraceTree): Json[] {
  return [trace, ...children.flatMap(flatten)];
}

/** A position in `trace_get` counts the traces of the transaction, not those of the block. */
export const positionsCountInTheTransaction: Decision = (_recorded, own, context) => {
  const [hash, [position]] = context.entry.params;
  const all = context.recorded("trace_transaction", [hash]);
  return flatTraces(all, own === null ? [] : ownTraces(own, all), context)?.[Number(position)] ?? null;
};

/** The recorded traces with this node's trace in its place. */
function ownTraces(own: Json, recorded: Json[]): Json[] {
  return recorded.map((trace, i) => (String(trace.traceAddress) === String(own.traceAddress) ? own : recorded[i]));
}
