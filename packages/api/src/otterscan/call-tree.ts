import type { ChainReader } from "@cambium/chain";
import { toData, toQuantity } from "@cambium/primitives";
import { replayBlock, requireBlock } from "../calls/replay.js";
import type { ApiConfig } from "../config.js";
import { addressData } from "../objects/format.js";
import { AnswerBudget } from "../tracing/tracers/answer-budget.js";
import { type Action, type CallNode, FrameTreeTracer } from "../tracing/tracers/frame-tree.js";

/** Parts of a transaction's call tree that a request can select. */
export type CallTreeView = "calls" | "operations" | "error";

export interface CallTreeRequest {
  blockHash: Uint8Array;
  index: number;
  view: CallTreeView;
}

/** A call, creation or self-destruct, by its depth in the tree. `value` is null for calls that have none. */
export interface TraceEntry {
  type: string;
  depth: number;
  from: string;
  to: string;
  value: string | null;
  input: string;
  output: string;
}

/** Types of internal operations. */
const OPERATIONS = { transfer: 0, selfDestruct: 1, create: 2, create2: 3 } as const;

export interface InternalOperation {
  type: (typeof OPERATIONS)[keyof typeof OPERATIONS];
  from: string;
  to: string;
  value: string;
}

/** Re-executes a transaction. Throws {@link RpcError} if its block cannot be executed. */
export function viewCallTree(
  chain: ChainReader,
  config: ApiConfig,
  { blockHash, index, view }: CallTreeRequest,
): TraceEntry[] | InternalOperation[] | string {
  const block = requireBlock(chain, blockHash);
  const budget = new AnswerBudget(config.maxResponseSize);
  const replay = replayBlock(chain, block, (at) => (at === index ? new FrameTreeTracer(budget, "all") : undefined))!;
  const tree = replay.tracers.get(index)!.tree(chain, block, index, replay.execution);
  if (view === "error") return tree.reverted ? toData(tree.output) : "0x";
  return view === "calls" ? [...entries({ type: "call", node: tree }, 0)] : [...operations(tree)];
}

function* entries(action: Action, depth: number): Generator<TraceEntry> {
  if (action.type === "selfDestruct") {
    const { address, beneficiary, amount } = action;
    const accounts = { from: toData(address), to: toData(beneficiary) };
    yield { type: "SELFDESTRUCT", depth, ...accounts, value: toQuantity(amount), input: "0x", output: "0x" };
    return;
  }
  const { kind, from, to, codeAddress, value, input, output, actions } = action.node;
  yield {
    type: kind.toUpperCase(),
    depth,
    from: addressData(kind === "delegatecall" ? to : from),
    to: addressData(kind === "delegatecall" || kind === "callcode" ? codeAddress : to),
    value: kind === "delegatecall" || kind === "staticcall" ? null : toQuantity(value),
    input: toData(input),
    output: toData(output),
  };
  for (const inner of actions) yield* entries(inner, depth + 1);
}

/** Transfers, creations and self-destructs inside a frame; those of failed frames had no effect. */
function* operations({ reverted, failure, actions }: CallNode): Generator<InternalOperation> {
  if (reverted || failure !== undefined) return;
  for (const action of actions) {
    if (action.type === "selfDestruct") {
      const { address, beneficiary, amount } = action;
      const accounts = { from: toData(address), to: toData(beneficiary) };
      yield { type: OPERATIONS.selfDestruct, ...accounts, value: toQuantity(amount) };
      continue;
    }
    const { node } = action;
    if (node.reverted || node.failure !== undefined) continue;
    const type = operationOf(node);
    if (type !== undefined) {
      yield { type, from: addressData(node.from), to: addressData(node.to), value: toQuantity(node.value) };
    }
    yield* operations(node);
  }
}

function operationOf({ kind, value }: CallNode): InternalOperation["type"] | undefined {
  if (kind === "create" || kind === "create2") return OPERATIONS[kind];
  return kind === "call" && value > 0n ? OPERATIONS.transfer : undefined;
}
