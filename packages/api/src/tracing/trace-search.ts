import type { ChainReader } from "@cambium/chain";
import { append, toData } from "@cambium/primitives";
import { Block, type Transaction } from "@cambium/types";
import { replayBlock, requireBlock } from "../calls/replay.js";
import { isDeployed } from "../compatibility.js";
import type { ApiConfig } from "../config.js";
import type { WorkLimit } from "../limits/deadline.js";
import { withoutReward } from "../lookups/shown-chain.js";
import { AnswerBudget } from "./tracers/answer-budget.js";
import { type FlatTrace, flatTraces } from "./tracers/flat-traces.js";
import { FrameTreeTracer, nativesOfTraces } from "./tracers/frame-tree.js";

/** A block to trace, and the index of a transaction if only that one is requested. */
export interface BlockTracesRequest {
  blockHash: Uint8Array;
  /** Encoding of the block if it is not stored: the pending block. */
  candidate?: Uint8Array;
  index?: number;
}

/** Whether a call must match the senders and the receivers of a filter, or one list is enough. */
export type FilterMode = "intersection" | "union";

/** A range of blocks on the branch that ends in `lastHash`, and a filter for their traces. */
export interface TraceFilterRequest {
  fromBlock: number;
  lastHash: Uint8Array;
  /** Senders and receivers of calls (`deployed`: of transactions); an empty list matches any. */
  fromAddresses: readonly Uint8Array[];
  toAddresses: readonly Uint8Array[];
  mode: FilterMode;
  after: number;
  count: number;
}

/**
 * Flat traces of a block or of its transaction at `index` (`spec/09 §12.2`). Throws {@link RpcError} if unavailable.
 */
export function tracesOfBlock(
  chain: ChainReader,
  config: ApiConfig,
  { blockHash, candidate, index: wanted }: BlockTracesRequest,
): FlatTrace[] {
  const block = candidate === undefined ? requireBlock(chain, blockHash) : decodedCandidate(chain, config, candidate);
  return tracesWhere(chain, config, block, (_transaction, index) => wanted === undefined || wanted === index);
}

function decodedCandidate({ network }: ChainReader, { skipRemasc }: ApiConfig, candidate: Uint8Array): Block {
  const block = Block.decode(candidate, network);
  return skipRemasc ? withoutReward(block) : block;
}

/** Traces of a range in ascending order (`spec/09 §12.2`). Throws {@link RpcError} if a state is unavailable. */
export function filterTraces(
  chain: ChainReader,
  config: ApiConfig,
  request: TraceFilterRequest,
  limit: WorkLimit,
): FlatTrace[] {
  const { fromBlock, lastHash, after, count } = request;
  const ancestors = chain.ancestors(lastHash);
  const last = chain.headerByHash(lastHash)!.number;
  const { ofTransaction, ofTrace } = isDeployed(config) ? transactionFilter(request) : callFilter(request);
  const answer = new AnswerBudget(config.maxResponseSize);
  const traces: FlatTrace[] = [];
  for (let number = fromBlock; number <= last && traces.length < after + count; number++) {
    limit.check();
    const hash = ancestors.hash(number);
    if (hash === undefined) continue;
    const found = tracesWhere(chain, config, requireBlock(chain, hash), ofTransaction).filter(ofTrace);
    for (const trace of found) answer.spend(JSON.stringify(trace).length);
    append(traces, found);
  }
  return traces.slice(after, after + count);
}

/** Selects the transactions to execute, and the traces to return. */
interface SearchFilter {
  ofTransaction(transaction: Transaction): boolean;
  ofTrace(trace: FlatTrace): boolean;
}

/** Selects all traces of transactions whose sender and receiver match. */
function transactionFilter(request: TraceFilterRequest): SearchFilter {
  const isMatch = accountMatcher(request);
  const shown = (address: Uint8Array | undefined) => address && toData(address);
  return {
    ofTransaction: ({ sender, to: receiver }) => isMatch(shown(sender), shown(receiver)),
    ofTrace: () => true,
  };
}

/** Selects the calls, creations and self-destructs whose accounts match. */
function callFilter(request: TraceFilterRequest): SearchFilter {
  const isMatch = accountMatcher(request);
  return {
    ofTransaction: () => true,
    ofTrace: ({ action, result }) =>
      isMatch(action.from ?? action.address, action.to ?? action.refundAddress ?? result?.address),
  };
}

/** Tells whether a sender and a receiver match the lists of a filter. An empty list matches all. */
function accountMatcher({ fromAddresses, toAddresses, mode }: TraceFilterRequest) {
  const [from, to] = [new Set(fromAddresses.map(toData)), new Set(toAddresses.map(toData))];
  const isAmong = (list: ReadonlySet<string>, address: string | undefined) =>
    address !== undefined && list.has(address);
  return (sender: string | undefined, receiver: string | undefined): boolean => {
    if (from.size === 0) return to.size === 0 || isAmong(to, receiver);
    if (to.size === 0) return isAmong(from, sender);
    const [isFrom, isTo] = [isAmong(from, sender), isAmong(to, receiver)];
    return mode === "union" ? isFrom || isTo : isFrom && isTo;
  };
}

function tracesWhere(
  chain: ChainReader,
  config: ApiConfig,
  block: Block,
  wanted: (transaction: Transaction, index: number) => boolean,
): FlatTrace[] {
  const { transactions } = block;
  if (!transactions.some(wanted)) return [];
  const budget = new AnswerBudget(config.maxResponseSize);
  const natives = nativesOfTraces(config);
  const replay = replayBlock(chain, block, (index) => {
    return wanted(transactions[index]!, index) ? new FrameTreeTracer(budget, natives) : undefined;
  });
  if (replay === undefined) return [];
  const { execution, tracers } = replay;
  return [...tracers].flatMap(([index, tracer]) => {
    return flatTraces(block, index, tracer.tree(chain, block, index, execution));
  });
}
