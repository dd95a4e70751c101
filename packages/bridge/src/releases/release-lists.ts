import {
  bigintToBytes,
  bytesToBigint,
  bytesToNumber,
  compareBytes,
  decodeRlpList,
  encodeRlp,
  numberToBytes,
  type RlpItem,
  reverseBytes,
  toHex,
} from "@cambium/primitives";
import { encodeTransaction, type ParentTransaction, parseTransaction, transactionId } from "../bitcoin/transaction.js";
import { BridgeError } from "../errors.js";
import { decodeGroups, groupsOf } from "../model/codecs.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";
import { DecodedCells } from "../storage/decoded-cells.js";
import { type JavaHashSet, loadedSet } from "./java-hash-set.js";
import { releaseQueue, type TwinLists, unconfirmedReleases } from "./release-queue.js";

// Lists of requested, created and confirmed peg-outs in their cells: spec/06b-1 §2.3.

/** A requested peg-out. */
export interface ReleaseRequest {
  /** Hash of the public key to pay. */
  readonly destination: Uint8Array;
  /** Satoshi. */
  readonly amount: bigint;
  /** Requesting transaction; undefined for requests from before RSKIP-146. */
  readonly hash: Uint8Array | undefined;
}

/** A created transaction that waits for confirmations of its block. */
export interface UnconfirmedRelease {
  readonly transaction: ParentTransaction;
  readonly txid: Uint8Array;
  /** Block in which the release was created. */
  readonly block: number;
  /** Transaction that created it; undefined for releases from before RSKIP-146. */
  readonly hash: Uint8Array | undefined;
}

/** Length of the hash of a public key. */
const HASH_BYTES = 20;

function decodeRequest([destination, amount, hash]: readonly RlpItem[]): ReleaseRequest {
  if (destination!.bytes.length !== HASH_BYTES) throw new BridgeError({ code: "STORED_LIST", what: "release request" });
  return { destination: destination!.bytes, amount: bytesToBigint(amount!.bytes), hash: hash?.bytes };
}

function encodeRequests(requests: readonly ReleaseRequest[]): Uint8Array {
  return encodeRlp(
    requests.flatMap(({ destination, amount, hash }) => [destination, bigintToBytes(amount), ...(hash ? [hash] : [])]),
  );
}

function decodeRelease([raw, block, hash]: readonly RlpItem[]): UnconfirmedRelease {
  const transaction = parseTransaction(raw!.bytes);
  return { transaction, txid: transactionId(transaction), block: bytesToNumber(block!.bytes), hash: hash?.bytes };
}

function byTransaction(releases: readonly UnconfirmedRelease[]): UnconfirmedRelease[] {
  return releases
    .map((release) => ({ release, raw: encodeTransaction(release.transaction) }))
    .sort((a, b) => compareBytes(a.raw, b.raw))
    .map(({ release }) => release);
}

function encodeReleases(releases: readonly UnconfirmedRelease[]): Uint8Array {
  return encodeRlp(
    byTransaction(releases).flatMap(({ transaction, block, hash }) => [
      encodeTransaction(transaction),
      numberToBytes(block),
      ...(hash ? [hash] : []),
    ]),
  );
}

/** Writes a list to its two cells; before RSKIP-146 there is only one. */
function writeTwins(session: BridgeSession, keys: TwinLists, lists: TwinLists): void {
  session.storage.write(keys.plain, lists.plain);
  if (session.rules.rskip146) session.storage.write(keys.withHash, lists.withHash);
}

/** Decoder of a list whose entries are groups of this many items. */
function listOf<T>(size: number, decode: (group: readonly RlpItem[]) => T): DecodedCells<readonly T[]> {
  return new DecodedCells((cell) => decodeGroups(cell, size, "releases").map(decode));
}

const requests = { plain: listOf(2, decodeRequest), withHash: listOf(3, decodeRequest) };
const unconfirmed = { plain: listOf(2, decodeRelease), withHash: listOf(3, decodeRelease) };

/** The queue of requests, oldest first. */
export function loadRequests(session: BridgeSession): readonly ReleaseRequest[] {
  const { plain, withHash } = releaseQueue(session);
  const older = requests.plain.of(plain);
  const newer = requests.withHash.of(withHash);
  return older.length === 0 ? newer : [...older, ...newer];
}

export function saveRequests(session: BridgeSession, requests: readonly ReleaseRequest[]): void {
  const keys = { plain: CELLS.releaseQueue, withHash: CELLS.releaseQueueWithHash };
  writeTwins(session, keys, {
    plain: encodeRequests(requests.filter(({ hash }) => hash === undefined)),
    withHash: encodeRequests(requests.filter(({ hash }) => hash !== undefined)),
  });
}

/**
 * Created transactions that wait for confirmations. A whole call shares one set, because its order depends on its
 * content when it was loaded.
 */
export class UnconfirmedReleases {
  private static readonly loaded = new WeakMap<BridgeSession, UnconfirmedReleases>();

  private constructor(
    private readonly session: BridgeSession,
    private readonly set: JavaHashSet<UnconfirmedRelease>,
  ) {}

  static load(session: BridgeSession): UnconfirmedReleases {
    let releases = UnconfirmedReleases.loaded.get(session);
    if (releases === undefined) {
      const { plain, withHash } = unconfirmedReleases(session);
      const set = loadedSet(unconfirmed.plain.of(plain), unconfirmed.withHash.of(withHash));
      UnconfirmedReleases.loaded.set(session, (releases = new UnconfirmedReleases(session, set)));
    }
    return releases;
  }

  /** Adds a release unless its transaction is already in the set. */
  add(release: UnconfirmedRelease): void {
    const txid = toHex(release.txid);
    if (this.set.inOrder().some((other) => toHex(other.txid) === txid)) return;
    this.set.addAll([release]);
    this.save();
  }

  /** The first release in iteration order that is `depth` blocks deep. */
  firstConfirmed(depth: number): UnconfirmedRelease | undefined {
    const { context, rules } = this.session;
    const releases = this.set.inOrder();
    const ordered = rules.rskip559 ? byTransaction(releases) : releases;
    return ordered.find(({ block }) => context.block.number - block >= depth);
  }

  remove(release: UnconfirmedRelease): void {
    this.set.remove(release);
    this.save();
  }

  private save(): void {
    const keys = { plain: CELLS.unconfirmedReleases, withHash: CELLS.unconfirmedReleasesWithHash };
    const releases = this.set.inOrder();
    writeTwins(this.session, keys, {
      plain: encodeReleases(releases.filter(({ hash }) => hash === undefined)),
      withHash: encodeReleases(releases.filter(({ hash }) => hash !== undefined)),
    });
  }
}

interface ReleaseToSign {
  readonly key: Uint8Array;
  readonly transaction: ParentTransaction;
}

/** The deployed client ignores a key without a transaction here. */
const toSign = new DecodedCells((cell) =>
  groupsOf(decodeRlpList(cell), 2).map(([key, raw]): ReleaseToSign => {
    return { key: key!.bytes, transaction: parseTransaction(raw!.bytes) };
  }),
);

/** Confirmed transactions that wait for signatures, by the hash under which signers refer to them. */
export class ReleasesToSign {
  private constructor(
    private readonly session: BridgeSession,
    private readonly entries: Map<string, ReleaseToSign>,
  ) {}

  static load(session: BridgeSession): ReleasesToSign {
    const entries = toSign.of(session.storage.loadList(CELLS.waitingForSignatures));
    return new ReleasesToSign(session, new Map(entries.map((entry) => [toHex(entry.key), entry])));
  }

  get(key: Uint8Array): ParentTransaction | undefined {
    return this.entries.get(toHex(key))?.transaction;
  }

  set(key: Uint8Array, transaction: ParentTransaction): void {
    this.entries.set(toHex(key), { key, transaction });
    this.save();
  }

  remove(key: Uint8Array): void {
    this.entries.delete(toHex(key));
    this.save();
  }

  private save(): void {
    // The deployed client compares these hashes from their last byte to the first.
    const sorted = [...this.entries.values()].sort((a, b) => compareBytes(reverseBytes(a.key), reverseBytes(b.key)));
    const cell = encodeRlp(sorted.flatMap(({ key, transaction }) => [key, encodeTransaction(transaction)]));
    this.session.storage.write(CELLS.waitingForSignatures, cell);
  }
}
