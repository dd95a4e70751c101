import type { BlockFault } from "@cambium/chain";
import { CambiumError } from "@cambium/primitives";

/** Reasons why an attempt to download blocks ended. */
export type SyncFault =
  | { code: "STOPPED" }
  | { code: "TIMED_OUT"; what: string }
  /** No header was verified and no block imported for too long. */
  | { code: "NO_PROGRESS"; seconds: number }
  | { code: "PEER_GONE"; peer: string }
  | { code: "OTHER_GENESIS"; peer: string }
  /** The peer does not have our lowest block. */
  | { code: "NO_CONNECTION_POINT"; peer: string }
  /** The chain has another block at the height of the checkpoint. */
  | { code: "CHECKPOINT"; number: number }
  /** The chain does not reach the checkpoint. */
  | { code: "CHECKPOINT_MISSING"; number: number }
  | { code: "SKELETON"; reason: string }
  | { code: "HEADERS_UNAVAILABLE"; number: number }
  /** The blocks of a skeleton are not of one chain. */
  | { code: "SKELETON_BROKEN"; number: number }
  | { code: "BODIES_UNAVAILABLE"; number: number }
  /** The short path does not reach a common ancestor. */
  | { code: "TOO_DEEP"; number: number }
  | { code: "INVALID_HEADER"; number: number; problem: string }
  | { code: "KNOWN_INVALID"; hash: Uint8Array }
  | { code: "INVALID_BLOCK"; number: number; hash: Uint8Array; fault: BlockFault["code"] }
  /** The block cannot be validated now, which is not the peer's fault. */
  | { code: "NOT_JUDGED"; number: number; fault: string }
  | { code: "CLAIM_NOT_MET"; peer: string }
  /** The header does not commit to the body. */
  | { code: "BODY"; reason: string }
  /** No peer serves a snapshot, or this part of it. The reason is for operators. */
  | { code: "SNAPSHOT_UNAVAILABLE"; reason: string };

export class SyncError extends CambiumError<SyncFault> {}
