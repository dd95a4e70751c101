import type { Readiness } from "@cambium/api";
import type { ChainReader } from "@cambium/chain";
import type { SyncProgress } from "@cambium/sync";

/** State of a node's peers that determines whether it is synchronised. */
export interface HealthSources {
  progress(): Pick<SyncProgress, "phase" | "target" | "peers" | "blocksPerSecond" | "timeLeft">;
  /** Returns advice while there is no peer; undefined until the log gives it. */
  advice(): string | undefined;
}

/** Distance of a replica from its writer, as far as the replica knows. */
export interface WriterLag {
  /** Height of the writer's best block; 0 if it is not known. */
  target: number;
  /** Milliseconds since the stream of its batches answered; undefined if it never did. */
  silence: number | undefined;
  /** Whether the stream has messages, but none authenticated by the replica's key. */
  isForeign: boolean;
}

/** Milliseconds without an answer of the stream after which a replica does not know its distance. */
const MAX_SILENCE = 1_200;
/** Number of blocks behind the target above which the distance is shown as a percentage. */
const FAR = 300;
/** Seconds without a block after which a public network has stalled. It has blocks every half minute on average. */
const MAX_BLOCK_AGE = 360;
/** Default number of blocks that the best block may lag behind the target. */
const MAX_LAG = 10;

const STALLED =
  "No peer has a newer block. Compare the height with a block explorer of the network: if that is ahead, " +
  "the peers of this node are not; --p2p.bootnodes and --p2p.nodes name other nodes";

/** Whether a node is synchronised and serves requests. */
export class Health {
  private peers: HealthSources | undefined;
  private writer: (() => WriterLag) | undefined;
  private isServing = false;
  private failure: string | undefined;

  constructor(
    public chain: Pick<ChainReader, "best">,
    /**
     * `isLocal`: the chain needs no peers, and its blocks are made on demand. `trust`: the basis of trust in the chain,
     * as text.
     */
    private readonly network: { isLocal: boolean; trust(): string },
    /** Number of blocks that the best block may lag behind the target. */
    public maxLag: number = MAX_LAG,
    /** Returns the current time in seconds since 1970. */
    private readonly now: () => number = () => Math.floor(Date.now() / 1_000),
  ) {}

  addPeers(peers: HealthSources): void {
    this.peers = peers;
  }

  /** Adds the distance of a replica from its writer. */
  addWriter(lag: () => WriterLag): void {
    this.writer = lag;
  }

  /** Records that JSON-RPC is served. */
  serves(): void {
    this.isServing = true;
  }

  /** Records that the chain can import no more blocks. */
  fails(error: Error): void {
    this.failure = error.message;
  }

  readiness(): Readiness {
    const { number: block, timestamp } = this.chain.best().header;
    const progress = this.peers?.progress();
    const writer = this.writer?.();
    const target = Math.max(progress?.target ?? 0, writer?.target ?? 0, block);
    const reasons = [...this.stateReasons(progress), ...silenceReasons(writer)];
    if (target - block > this.maxLag) {
      reasons.push(`${target - block} blocks behind block ${target}, more than ${this.maxLag}`);
    }
    const blockAge = block === 0 ? null : Math.max(this.now() - Number(timestamp), 0);
    const state = this.state({ block, target, blockAge, progress, writer });
    const timeLeft = progress?.timeLeft;
    return {
      ready: reasons.length === 0,
      reasons,
      state,
      remedy: this.remedy(state) ?? null,
      block,
      target,
      blockAge,
      progress: state === "synchronising" && target > 0 ? Math.floor((1_000 * block) / target) / 10 : null,
      blocksPerSecond: progress?.blocksPerSecond ?? 0,
      timeLeft: timeLeft === undefined ? null : Math.round(timeLeft),
      peers: progress?.peers,
      trust: this.network.trust(),
    };
  }

  private *stateReasons(progress: Progress | undefined): Generator<string> {
    if (this.failure !== undefined) yield `the chain imports no more blocks: ${this.failure}`;
    if (progress?.phase === "snapshot") yield "a snapshot is being downloaded";
    else if (!this.isServing) yield "JSON-RPC is not served yet";
    if (this.lacksPeers(progress)) yield "no peer is connected";
  }

  private lacksPeers(progress: Progress | undefined): boolean {
    return progress?.peers === 0 && !this.network.isLocal;
  }

  private state({ block, target, blockAge, progress, writer }: Situation): Readiness["state"] {
    const behind = target - block;
    if (this.failure !== undefined) return "failed";
    if (progress?.phase === "snapshot") return "snapshot";
    if (!this.isServing) return "starting";
    if (!silenceReasons(writer).next().done) return "no-writer";
    if (this.lacksPeers(progress)) return "no-peers";
    if (behind > this.maxLag) return behind > FAR ? "synchronising" : "behind";
    if (writer === undefined && !(progress !== undefined && progress.peers > 0)) return "alone";
    if (this.network.isLocal) return "synchronised";
    if (blockAge === null) return "synchronising";
    return blockAge > MAX_BLOCK_AGE ? "stalled" : "synchronised";
  }

  private remedy(state: Readiness["state"]): string | undefined {
    if (state === "no-peers") return this.peers?.advice();
    return state === "stalled" ? STALLED : undefined;
  }
}

type Progress = ReturnType<HealthSources["progress"]>;

interface Situation {
  block: number;
  target: number;
  blockAge: number | null;
  progress: Progress | undefined;
  writer: WriterLag | undefined;
}

function* silenceReasons(writer: WriterLag | undefined): Generator<string> {
  if (writer?.isForeign === true) yield "no message of the stream is sealed with this node's key";
  if (writer === undefined || (writer.silence !== undefined && writer.silence <= MAX_SILENCE)) return;
  const since = writer.silence === undefined ? "" : ` for ${Math.round(writer.silence / 1_000)} s`;
  yield `the stream of the writer's batches has not answered${since}`;
}
