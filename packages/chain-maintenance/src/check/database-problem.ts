import type { FlatStateFault } from "./check-flat-state.js";

/** A missing or wrong entry in a database. */
export type DatabaseProblem =
  | { kind: "fact"; what: "schema" | "genesis" | "best" | "layout" }
  | {
      kind: "block";
      /** Affected part of the block; of its state, only the record of its root. */
      what: "header" | "body" | "uncles" | "receipts" | "outcome" | "parent" | "total difficulty";
      number: number;
      hash: Uint8Array;
      reason?: string;
    }
  | { kind: "best-chain"; number: number; reason: string }
  | { kind: "transaction-index"; number: number; hash: Uint8Array }
  | { kind: "log-index"; number: number; hash: Uint8Array }
  /** Stored senders of the block: their number is wrong, or a deep check has recovered others. */
  | { kind: "senders"; number: number; hash: Uint8Array }
  /** Archive layout: a state node or long value (code, for instance) that is reachable from the block's state root. */
  | { kind: "state"; number: number; hash: Uint8Array; what: "node" | "value"; fault: "missing" | "corrupt" }
  /** Flat layout: the state. */
  | ({ kind: "flat-state" } & FlatStateFault)
  /** Flat layout: the changes of the block. */
  | { kind: "state-diff"; number: number; hash: Uint8Array; fault: "missing" | "corrupt" };

/** Whether a problem concerns only data that a repair derives from sound blocks. */
export function isDerived({ kind }: DatabaseProblem): boolean {
  return kind === "transaction-index" || kind === "log-index" || kind === "senders";
}

/** See `spec/07 §B.12.3`. */
export type SnapshotGaps =
  /** The snapshot is not visible in the chain yet. */
  | { kind: "installing"; block: number; bytes: number; totalBytes: number }
  /** There are no receipts up to `block`, and no blocks below `earliest` except genesis. */
  | { kind: "installed"; block: number; earliest: number };
