import { toData, toQuantity } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { Block } from "@cambium/types";
import { type Decision, type DecisionContext, type Json, requestedBlock } from "./decision.js";

// Decisions of spec/09 §6.

function requestedHeader(context: DecisionContext): BlockHeader | undefined {
  const block = requestedBlock(context);
  return context.entry.method.startsWith("eth_getUncle")
    ? block?.uncles[Number(context.entry.params[1])]
    : block?.header;
}

/** A block without merged-mining fields is shown as mined, not as pending. */
export const minedBlocksAreShownAsMined: Decision = (recorded, _own, context) => {
  const header = recorded?.number === null ? requestedHeader(context) : undefined;
  if (header === undefined) return recorded;
  return {
    ...recorded,
    number: toQuantity(header.number),
    hash: toData(header.hash),
    logsBloom: toData(header.logsBloom),
    miner: toData(header.coinbase.length === 20 ? header.coinbase : new Uint8Array(20)),
  };
};

/** Uncles have no transactions and no uncles of their own, even if they were imported as blocks. */
export const unclesHaveNoTransactions: Decision = (recorded, _own, context) => {
  const header = recorded === null ? undefined : requestedHeader(context);
  if (header === undefined) return recorded;
  return {
    ...recorded,
    transactions: [],
    uncles: [],
    size: toQuantity(new Block(header, [], []).size),
    cumulativeDifficulty: toQuantity(header.difficultyValue),
  };
};

/** Logs have the member `removed`. */
export const logsSayRemoved: Decision = (recorded) => {
  return Array.isArray(recorded) ? recorded.map((log: Json) => ({ ...log, removed: false })) : recorded;
};

export const receiptLogsSayRemoved: Decision = (recorded, own, context) => {
  return recorded === null ? null : { ...recorded, logs: logsSayRemoved(recorded.logs, own?.logs, context) };
};
