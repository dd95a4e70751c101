import { type StoredChainReader, trustText } from "@cambium/chain";
import type { SyncProgress } from "@cambium/sync";

/** The body of `/ready`. */
export interface Readiness {
  ready: boolean;
  /** Why not; empty if it is ready. */
  reasons: string[];
  /** Height of the best block, and of the one that synchronisation aims for. */
  block: number;
  target: number;
  /** Undefined for a node without peers. */
  peers: number | undefined;
  /** What vouches for the chain: `work since genesis`, or `signers and work since` a block. */
  trust: string;
}

/** The parts of a node's peers that say whether it is synchronised. */
export interface HealthSources {
  progress(): Pick<SyncProgress, "phase" | "target" | "peers">;
}

/** How far the writer of a replica is, as far as the replica knows. */
export interface WriterLag {
  /** Height of the writer's best block; 0 if it is not known. */
  target: number;
  /** Milliseconds since the stream of its batches answered; undefined if it never did. */
  silence: number | undefined;
  /** Whether the stream has messages, but none that the key of the replica authenticates. */
  isForeign: boolean;
}

/** Milliseconds after which a replica that hears nothing of the stream does not know how far it is behind. */
const MAX_SILENCE = 1_200;

/** Whether a node is synchronised and serves requests. */
export class Health {
  private peers: (HealthSources & { areNeeded: boolean }) | undefined;
  private writer: (() => WriterLag) | undefined;
  private isServing = false;
  private failure: string | undefined;

  constructor(
    private readonly chain: Pick<StoredChainReader, "best" | "trust">,
    /** Blocks that the best block may be below the target. */
    public maxLag: number,
  ) {}

  /** `areNeeded`: whether a node without any peer is not ready. */
  addPeers(peers: HealthSources, areNeeded: boolean): void {
    this.peers = { progress: () => peers.progress(), areNeeded };
  }

  /** For a replica: how far its writer is. */
  addWriter(lag: () => WriterLag): void {
    this.writer = lag;
  }

  /** JSON-RPC is served. */
  serves(): void {
    this.isServing = true;
  }

  /** The chain imports no more blocks. */
  fails(error: Error): void {
    this.failure = error.message;
  }

  readiness(): Readiness {
    const block = this.chain.best().header.number;
    const progress = this.peers?.progress();
    const writer = this.writer?.();
    const target = Math.max(progress?.target ?? 0, writer?.target ?? 0, block);
    const reasons = [...this.stateReasons(progress), ...silenceReasons(writer)];
    if (target - block > this.maxLag) {
      reasons.push(`${target - block} blocks behind block ${target}, more than ${this.maxLag}`);
    }
    const trust = trustText(this.chain.trust());
    return { ready: reasons.length === 0, reasons, block, target, peers: progress?.peers, trust };
  }

  private *stateReasons(progress: ReturnType<HealthSources["progress"]> | undefined): Generator<string> {
    if (this.failure !== undefined) yield `the chain imports no more blocks: ${this.failure}`;
    if (progress?.phase === "snapshot") yield "a snapshot is being downloaded";
    else if (!this.isServing) yield "JSON-RPC is not served yet";
    if (progress?.peers === 0 && this.peers?.areNeeded) yield "no peer is connected";
  }
}

function* silenceReasons(writer: WriterLag | undefined): Generator<string> {
  if (writer?.isForeign === true) yield "no message of the stream is sealed with this node's key";
  if (writer === undefined || (writer.silence !== undefined && writer.silence <= MAX_SILENCE)) return;
  const since = writer.silence === undefined ? "" : ` for ${Math.round(writer.silence / 1_000)} s`;
  yield `the stream of the writer's batches has not answered${since}`;
}
