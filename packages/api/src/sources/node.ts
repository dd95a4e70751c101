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
  /** They take effect when the node is started again. */
  needRestart: readonly string[];
}

/** What the process uses, and what miners have sent. Sizes are bytes. */
export interface NodeStatus {
  /** Seconds since the process was started. */
  uptime: number;
  /** Resident memory of the process, what the system still has for it, and the heap of the main thread. */
  memory: { resident: number; available: number; heapUsed: number; heapLimit: number };
  /** The file system of the data folder; null if it cannot be read. */
  disk: { free: number; size: number } | null;
  /** Solutions since the start, by whether the block joined the chain. */
  submissions: { accepted: number; refused: number };
  /** What vouches for the chain: `work since genesis`, or `signers and work since` a block. */
  trust: string;
}

/** The node itself, for its operator. */
export interface NodeAdmin {
  status(): NodeStatus;
  /** Absolute path of the data folder. */
  dataDir: string;
  /**
   * Sets the levels of the log, as text; throws a `CambiumError` for text that is none. Undefined: they cannot be
   * changed.
   */
  setLogLevels?: ((levels: string) => void) | undefined;
  /**
   * Reads the configuration again and applies what can change while the node runs. Rejects with `RpcError`
   * `CONFIGURATION_REFUSED`, and has changed nothing then. Undefined: there is no configuration to read.
   */
  reloadConfig?: (() => Promise<ReloadedConfig>) | undefined;
}

/** Connections to peers, for the operator. */
export type PeerAdmin = Pick<RunningNetwork, "ownId" | "peers" | "peer" | "dial" | "disconnect" | "listenAddresses">;

/** The block that would be mined next (`spec/09 §5.1`), executed in another thread. */
export interface PendingBlock {
  readonly block: Block;
  /**
   * What it changes in its parent's state, in the form of `packChanges`; calls are executed on the result. Undefined if
   * it is too large.
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
