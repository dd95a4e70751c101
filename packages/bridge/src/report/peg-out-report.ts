import { bytesToNumber, decodeRlpList, toData, toHex } from "@cambium/primitives";
import { addressText } from "../bitcoin/address.js";
import { parseTransaction, transactionId } from "../bitcoin/transaction.js";
import { signingProgress } from "../peg-out/signing.js";
import { loadRequests } from "../releases/release-lists.js";
import { unconfirmedReleases } from "../releases/release-queue.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";

/** A request that is not yet paid by a transaction. */
export interface QueuedPegOutReport {
  /** Base58 address on the parent chain. */
  destination: string;
  /** Satoshi. */
  amount: bigint;
  /** 0x-prefixed hex; undefined for requests from before RSKIP-146. */
  requestedBy: string | undefined;
}

/** A parent-chain transaction created by the bridge. */
export interface CreatedReport {
  /** Hex in display order; changes when inputs without witness are signed. */
  txid: string;
  /** Hex. */
  raw: string;
}

/** A created transaction that can be signed once it has enough confirmations. */
export interface UnconfirmedReport extends CreatedReport {
  creationBlock: number;
  /** First block in which the transaction can move on to signing. */
  confirmedAt: number;
  /** Transaction that created it, 0x-prefixed hex; undefined for releases from before RSKIP-146. */
  createdBy: string | undefined;
}

/** A transaction that collects signatures, with the hash under which signers refer to it (0x-prefixed hex). */
export interface UnsignedReport extends CreatedReport {
  key: string;
  /** Number of required signatures. */
  required: number;
  /** Parent-chain keys (compressed, hex) that have signed, and those of the members who can still sign. */
  signedBy: string[];
  missing: string[];
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
  const { releaseConfirmations } = session.network.bridge;
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

/** `key` is the hash under which signers refer to the transaction. */
export function describeUnsigned(session: BridgeSession, key: Uint8Array, raw: Uint8Array): UnsignedReport {
  const progress = signingProgress(session, parseTransaction(raw));
  const { required = 0, signed = [], missing = [] } = progress ?? {};
  return { key: toData(key), ...describe(raw), required, signedBy: signed.map(toHex), missing: missing.map(toHex) };
}

/** Peg-outs in cell order: `spec/06b-1 §2.3`. */
export function reportPegOuts(session: BridgeSession): PegOutsReport {
  return {
    queued: describeQueue(session),
    waitingForConfirmations: describeUnconfirmed(session),
    waitingForSignatures: groups(session.storage.loadList(CELLS.waitingForSignatures), 2).map(([key, raw]) =>
      describeUnsigned(session, key!, raw!),
    ),
  };
}
