import { LruCache, toHex } from "@cambium/primitives";
import { commonVersion, type RlpxConnection, type RskSession } from "@cambium/rlpx";
import type { Peer, PeerAddress, PeerCapabilities, PeerId, PeerStatus } from "../interface.js";
import { DEPLOYED_RATES } from "./rates.js";
import { TransactionOutbox } from "./transaction-outbox.js";

/** Number of blocks and transactions that a peer is remembered to have: those that may still be relayed. */
const MAX_KNOWN_BLOCKS = 512;
const MAX_KNOWN_TRANSACTIONS = 4096;
const SNAPSHOT_CAPABILITY = "snap";

/** A connection to a node of the deployed network. Other packages see it once {@link RlpxPeer.isReady}. */
export class RlpxPeer implements Peer {
  readonly wire = "rlpx";
  readonly address: PeerAddress;
  readonly direction: Peer["direction"];
  readonly capabilities: PeerCapabilities;
  readonly isTrusted: boolean;
  /** Version of the `rsk` capability. */
  readonly version: number;
  /** Time of the connection, in milliseconds of a `Clock`. */
  readonly since: number;
  /** Sends transactions to the peer. */
  readonly transactions: TransactionOutbox;
  isClosing = false;
  /** Resolves with true once {@link RlpxPeer.isReady}, and with false if the connection ends before. */
  readonly ready: Promise<boolean>;
  /** Number of received messages of any kind. */
  messagesReceived = 0;
  /** Number of the peer's requests for snapshots without an answer yet. */
  snapshotRequests = 0;
  /** Total difficulty of the last Status that we sent. */
  sentTotalDifficulty = 0n;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  /** Resolves {@link closed}; call it when the connection has ended. */
  markClosed!: () => void;
  private hasStarted = false;
  private settle!: (isReady: boolean) => void;
  private latest: PeerStatus;
  private readonly knownBlocks = new LruCache<string, true>(MAX_KNOWN_BLOCKS);
  private readonly knownTransactions = new LruCache<string, true>(MAX_KNOWN_TRANSACTIONS);

  constructor(
    readonly id: PeerId,
    readonly connection: RlpxConnection,
    readonly session: RskSession,
    { isTrusted, genesisHash, since }: { isTrusted: boolean; genesisHash: Uint8Array; since: number },
  ) {
    this.isTrusted = isTrusted;
    this.since = since;
    const { hello, remoteAddress, direction } = connection;
    this.address = remoteAddress;
    this.transactions = new TransactionOutbox(session);
    this.direction = direction;
    this.version = commonVersion(hello.capabilities);
    this.capabilities = {
      servesSnapshots: hello.capabilities.some(({ name }) => name === SNAPSHOT_CAPABILITY),
      rates: DEPLOYED_RATES,
    };
    this.ready = new Promise((resolve) => {
      this.settle = resolve;
    });
    this.closed = new Promise((resolve) => {
      this.markClosed = resolve;
    });
    this.latest = {
      bestNumber: 0,
      bestHash: genesisHash,
      totalDifficulty: 0n,
      earliestBody: 0,
      clientId: hello.clientId,
    };
  }

  /** Whether the rest of the node sees the peer. */
  get isReady(): boolean {
    return this.hasStarted && !this.isClosing;
  }

  /** Whether the peer was ever ready. */
  get hasBegun(): boolean {
    return this.hasStarted;
  }

  begin(): void {
    this.hasStarted = true;
    this.settle(true);
  }

  end(): void {
    this.isClosing = true;
    this.settle(false);
  }

  /** Returns the peer's claim: no work until the peer has sent its Status, which is optional (`spec/07 §A.3.1`). */
  get status(): PeerStatus {
    return this.latest;
  }

  claim(claim: Partial<Omit<PeerStatus, "clientId">>): void {
    this.latest = { ...this.latest, ...claim };
  }

  /** Records that the peer has a block; returns whether that was unknown. */
  markKnown(hash: Uint8Array): boolean {
    return isNew(this.knownBlocks, hash);
  }

  /** Records that the peer has a transaction; returns whether that was unknown. */
  learnsTransaction(hash: Uint8Array): boolean {
    return isNew(this.knownTransactions, hash);
  }
}

function isNew(known: LruCache<string, true>, hash: Uint8Array): boolean {
  const id = toHex(hash);
  if (known.has(id)) return false;
  known.set(id, true);
  return true;
}
