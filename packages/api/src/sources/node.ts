import type { RunningNetwork } from "@cambium/networking";
import type { Block } from "@cambium/types";

// Parts of a node that methods read or control.

/** The connected peers. */
export interface PeerSource {
  /** Whether the node accepts inbound connections. */
  isListening(): boolean;
  /** One human-readable line for every known peer. */
  list(): readonly string[];
}

/** Settings that differ from those before, by their keys in a configuration file. */
export interface ReloadedConfig {
  applied: readonly string[];
  /** Settings that take effect when the node is started again. */
  needRestart: readonly string[];
}

/** States of a node. If several apply, the first one is reported. */
export const NODE_STATES = [
  /** The chain imports no more blocks. */
  "failed",
  /** A snapshot is being downloaded. */
  "snapshot",
  /** JSON-RPC is not served yet. */
  "starting",
  /** A replica cannot tell how far its writer is. */
  "no-writer",
  "no-peers",
  /** Far below the block that synchronisation aims for, or at genesis. */
  "synchronising",
  /** Some blocks below it. */
  "behind",
  /** The network has had no new block for long. */
  "stalled",
  /** Neither peers nor a writer: all blocks are produced locally. */
  "alone",
  "synchronised",
] as const;

/** Whether the node is ready, and what it is doing: the body of `/ready`. */
export interface Readiness {
  ready: boolean;
  /** Why not; empty if it is ready. */
  reasons: string[];
  state: (typeof NODE_STATES)[number];
  /** Advice for the operator; null if there is none. */
  remedy: string | null;
  /** Height of the best block, and of the synchronisation target. */
  block: number;
  target: number;
  /** Seconds since the timestamp of the best block; null for genesis, whose timestamp says nothing. */
  blockAge: number | null;
  /** Percentage of the target that is reached while the node is synchronising. */
  progress: number | null;
  blocksPerSecond: number;
  /** Estimated seconds until the node is synchronised. */
  timeLeft: number | null;
  /** Undefined for a node without peers. */
  peers: number | undefined;
  /** Basis of trust in the chain: `work since genesis`, or `signers and work since` a block. */
  trust: string;
}

/** Resources that the process uses, and counts of messages from miners. Sizes are bytes. */
export interface NodeStatus {
  /** Seconds since the process was started. */
  uptime: number;
  /** Resident memory of the process, memory that the system has left for it, and the heap of the main thread. */
  memory: { resident: number; available: number; heapUsed: number; heapLimit: number };
  /** The file system of the data folder; null if it cannot be read. */
  disk: { free: number; size: number } | null;
  /** Solutions since the start, by whether the block joined the chain. */
  submissions: { accepted: number; refused: number };
  /** Basis of trust in the chain: `work since genesis`, or `signers and work since` a block. */
  trust: string;
}

/** The node itself, for its operator. */
export interface NodeAdmin {
  status(): NodeStatus;
  /** Absolute path of the data folder. */
  dataDir: string;
  /**
   * Sets the levels of the log, as text; throws a `CambiumError` for invalid text. Undefined: they cannot be changed.
   */
  setLogLevels?: ((levels: string) => void) | undefined;
  /**
   * Reads the configuration again and applies the settings that can change while the node runs. Rejects with `RpcError`
   * `CONFIGURATION_REFUSED`; nothing has changed then. Undefined: there is no configuration to read.
   */
  reloadConfig?: (() => Promise<ReloadedConfig>) | undefined;
}

/** Connections to peers, for the operator. */
export type PeerAdmin = Pick<RunningNetwork, "ownId" | "peers" | "peer" | "dial" | "disconnect" | "listenAddresses">;

/** The block that would be mined next (`spec/09 §5.1`), executed in another thread. */
export interface PendingBlock {
  readonly block: Block;
  /**
   * Changes to the parent's state, in the form of `packChanges`; calls are executed on the result. Undefined if they
   * are too large.
   */
  readonly stateChanges: Uint8Array | undefined;
}

/** State with the pending transactions executed on top of the best block (`spec/08 §8`), in another thread. */
export interface PendingState {
  /** Wei. */
  getBalance(address: Uint8Array): Promise<bigint>;
  /** Empty if the account has no code. */
  getCode(address: Uint8Array): Promise<Uint8Array>;
  /** Undefined if the cell is empty. */
  getStorageBytes(address: Uint8Array, key: Uint8Array): Promise<Uint8Array | undefined>;
}
