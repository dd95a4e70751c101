import type { BlockFault } from "@cambium/chain";
import { CambiumError } from "@cambium/primitives";

/** Why an attempt to get blocks from peers ended. */
export type SyncFault =
  | { code: "STOPPED" }
  | { code: "TIMED_OUT"; what: string }
  /** Nothing was verified or imported for too long. */
  | { code: "NO_PROGRESS"; seconds: number }
  | { code: "PEER_GONE"; peer: string }
  | { code: "OTHER_GENESIS"; peer: string }
  /** The peer does not tell the block at our lowest height, or it is another one. */
  | { code: "NO_CONNECTION_POINT"; peer: string }
  /** The chain has another block where every chain must have that of the checkpoint. */
  | { code: "CHECKPOINT"; number: number }
  /** The chain does not reach the checkpoint. */
  | { code: "CHECKPOINT_MISSING"; number: number }
  | { code: "SKELETON"; reason: string }
  | { code: "HEADERS_UNAVAILABLE"; number: number }
  /** Blocks of a skeleton that are not of one chain. */
  | { code: "SKELETON_BROKEN"; number: number }
  | { code: "BODIES_UNAVAILABLE"; number: number }
  /** No common ancestor within reach of the short path. */
  | { code: "TOO_DEEP"; number: number }
  | { code: "INVALID_HEADER"; number: number; problem: string }
  | { code: "KNOWN_INVALID"; hash: Uint8Array }
  | { code: "INVALID_BLOCK"; number: number; hash: Uint8Array; fault: BlockFault["code"] }
  /** The block cannot be judged here and now, which is nobody's fault. */
  | { code: "NOT_JUDGED"; number: number; fault: string }
  | { code: "CLAIM_NOT_MET"; peer: string }
  /** A body that is not the one its header commits to. */
  | { code: "BODY"; reason: string }
  /** No peer has a snapshot, or this part of it. The reason is for operators. */
  | { code: "SNAPSHOT_UNAVAILABLE"; reason: string };

export class SyncError extends CambiumError<SyncFault> {}
