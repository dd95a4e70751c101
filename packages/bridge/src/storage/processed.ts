import { encodeRlp, numberToBytes, toHex } from "@cambium/primitives";
import { decodeHeightMap, encodeHeightMap } from "../model/codecs.js";
import type { BridgeSession } from "../session.js";
import { CELLS, compoundCell } from "./cells.js";
import { DecodedCells } from "./decoded-cells.js";

// Record of processed parent-chain transactions and their heights: spec/06b-1 §2.1.

const decoded = new DecodedCells<ReadonlyMap<string, bigint>>(decodeHeightMap);

/**
 * Returns the block in which a transaction (64 hex digits, display order) was processed, from the old list or its own
 * cell; undefined if it was not.
 */
export function processedHeight(session: BridgeSession, txid: string): bigint | undefined {
  const old = decoded.of(session.storage.loadList(CELLS.processedTransactions)).get(txid);
  if (old !== undefined) return old;
  if (!session.rules.rskip134) return undefined;
  const height = session.readHeight(compoundCell("btcTxHashAP", txid));
  return height === undefined ? undefined : BigInt(height);
}

export function isProcessed(session: BridgeSession, txid: Uint8Array): boolean {
  return processedHeight(session, toHex(txid)) !== undefined;
}

/** Marks a transaction as processed in the executing block. */
export function markProcessed(session: BridgeSession, txid: Uint8Array): void {
  const { storage, rules, context } = session;
  const id = toHex(txid);
  if (rules.rskip134) {
    storage.write(compoundCell("btcTxHashAP", id), encodeRlp(numberToBytes(context.block.number)));
    return;
  }
  const heights = decodeHeightMap(storage.loadList(CELLS.processedTransactions));
  heights.set(id, BigInt(context.block.number));
  storage.write(CELLS.processedTransactions, encodeHeightMap(heights));
}
