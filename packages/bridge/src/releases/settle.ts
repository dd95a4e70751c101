import { toHex } from "@cambium/primitives";
import { ByteReader } from "../bitcoin/byte-reader.js";
import { type ParentTransaction, transactionId } from "../bitcoin/transaction.js";
import { encodeOutpointValues, pegEvents } from "../events/peg-events.js";
import type { Built } from "../release-builder/release-builder.js";
import type { BridgeSession } from "../session.js";
import { compoundCell } from "../storage/cells.js";
import type { CoinList } from "../storage/coin-list.js";
import { indexPegOut } from "./peg-out-index.js";
import { UnconfirmedReleases } from "./release-lists.js";

// Records created transactions: spec/06b-3 §5.1.

function outpointValuesCell(txid: Uint8Array): Uint8Array {
  return compoundCell("releasesOutpointsValues", toHex(txid));
}

/** Values of the outputs that a created transaction spends, by input; undefined if unknown. */
export function outpointValues({ storage }: BridgeSession, txid: Uint8Array): bigint[] | undefined {
  const cell = storage.read(outpointValuesCell(txid));
  return cell === undefined ? undefined : decodeOutpointValues(cell);
}

/** Reads concatenated values of spent outputs. */
export function decodeOutpointValues(cell: Uint8Array): bigint[] {
  const values: bigint[] = [];
  let length = 0;
  for (const reader = new ByteReader(cell); length < cell.length; ) {
    const value = reader.variable();
    values.push(value);
    length += encodeOutpointValues([value]).length;
  }
  return values;
}

/** Emits the event of a created transaction and stores the values it spends (RSKIP-428, RSKIP-305). */
export function announce(session: BridgeSession, txid: Uint8Array, values: readonly bigint[]): void {
  const { rules, storage } = session;
  if (!rules.rskip428) return;
  pegEvents.transactionCreated(session, txid, values);
  if (!rules.rskip305) return;
  const cell = outpointValuesCell(txid);
  if (storage.read(cell) !== undefined) session.fail("release", "values of this transaction are already stored");
  storage.write(cell, encodeOutpointValues(values));
}

/**
 * Adds a created transaction to those waiting for confirmations. `key` is undefined for a request from before
 * RSKIP-146.
 */
export function awaitConfirmations(
  session: BridgeSession,
  waiting: UnconfirmedReleases,
  transaction: ParentTransaction,
  key: Uint8Array | undefined,
): void {
  const { rules, context } = session;
  const hash = rules.rskip146 ? key : undefined;
  waiting.add({ transaction, txid: transactionId(transaction), block: context.block.number, hash });
}

/** Removes the spent UTXOs, adds the transaction to the waiting releases and the index, and emits its events. */
export function settle(
  session: BridgeSession,
  coins: CoinList,
  { transaction, spent }: Built,
  key: Uint8Array | undefined,
  satoshi: bigint,
): void {
  const txid = transactionId(transaction);
  coins.removeSpent(transaction.inputs);
  awaitConfirmations(session, UnconfirmedReleases.load(session), transaction, key);
  indexPegOut(session, transaction);
  if (key !== undefined) pegEvents.releaseRequested(session, key, txid, satoshi);
  const values = spent.map((coin) => coin.value);
  announce(session, txid, values);
}
