import { bytesToNumber, decodeRlpList, toData, toHex } from "@cambium/primitives";
import { addressText } from "../bitcoin/address.js";
import { parseTransaction, transactionId } from "../bitcoin/transaction.js";
import { pegConstants } from "../peg-constants.js";
import { loadRequests } from "../peg-out/release-lists.js";
import { unconfirmedReleases } from "../peg-out/release-queue.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";

/** A request that no transaction pays yet. */
export interface QueuedPegOutReport {
  /** Base58, of the parent chain. */
  destination: string;
  /** Satoshi. */
  amount: bigint;
  /** Hex with 0x; absent in requests from before RSKIP-146. */
  requestedBy: string | undefined;
}

/** A parent-chain transaction that the bridge has made. */
export interface CreatedReport {
  /** Display order, hex; it changes with signatures in inputs without witness. */
  txid: string;
  /** Hex. */
  raw: string;
}

/** A created transaction that may be signed once its block is deep enough. */
export interface UnconfirmedReport extends CreatedReport {
  creationBlock: number;
  /** First block in which it can be moved on to signing. */
  confirmedAt: number;
  /** Transaction that created it, hex with 0x; absent in those from before RSKIP-146. */
  createdBy: string | undefined;
}

/** A transaction that signatures are collected for, and the hash that they are asked for with (hex with 0x). */
export interface UnsignedReport extends CreatedReport {
  key: string;
}

export interface PegOutsReport {
  queued: QueuedPegOutReport[];
  waitingForConfirmations: UnconfirmedReport[];
  waitingForSignatures: UnsignedReport[];
}

function describe(raw: Uint8Array): CreatedReport {
  return { txid: toHex(transactionId(parseTransaction(raw))), raw: toHex(raw) };
}

function groups(cell: Uint8Array, size: number): Uint8Array[][] {
  const items = decodeRlpList(cell).map(({ bytes }) => bytes);
  return Array.from({ length: Math.floor(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

function describeQueue(session: BridgeSession): QueuedPegOutReport[] {
  return loadRequests(session).map(({ destination, amount, hash }) => ({
    destination: addressText(session, { kind: "key", hash: destination }),
    amount,
    requestedBy: hash === undefined ? undefined : toData(hash),
  }));
}

function describeUnconfirmed(session: BridgeSession): UnconfirmedReport[] {
  const { plain, withHash } = unconfirmedReleases(session);
  const { releaseConfirmations } = pegConstants(session.network);
  return [...groups(plain, 2), ...groups(withHash, 3)].map(([raw, block, hash]) => {
    const creationBlock = bytesToNumber(block!, "creation block");
    return {
      ...describe(raw!),
      creationBlock,
      confirmedAt: creationBlock + releaseConfirmations,
      createdBy: hash === undefined ? undefined : toData(hash),
    };
  });
}

function describeUnsigned({ storage }: BridgeSession): UnsignedReport[] {
  const cell = storage.loadList(CELLS.waitingForSignatures);
  return groups(cell, 2).map(([key, raw]) => ({ key: toData(key!), ...describe(raw!) }));
}

/** Peg-outs in the order of their cells: `spec/06b-1 §2.3`. */
export function reportPegOuts(session: BridgeSession): PegOutsReport {
  return {
    queued: describeQueue(session),
    waitingForConfirmations: describeUnconfirmed(session),
    waitingForSignatures: describeUnsigned(session),
  };
}
