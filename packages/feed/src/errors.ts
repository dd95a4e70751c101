import { CambiumError } from "@cambium/primitives";

/** Why a feed cannot start or go on. All other failures are temporary: the feed logs them and tries again. */
export class FeedError extends CambiumError<
  /** The destination is malformed. */
  | { code: "TARGET"; target: string; expected: string }
  /** The node does not answer as a node. */
  | { code: "NODE"; url: string; reason: string }
  /** The node does not serve a method that a table needs. */
  | { code: "METHOD_MISSING"; method: string; module: string; table: string }
  /** The node does not have what the feed needs of a block. */
  | { code: "HISTORY_MISSING"; number: number; reason: string }
  /** The destination holds another chain, or other tables; `what` names the difference. */
  | { code: "OTHER_CONTENT"; target: string; what: string; found: string; expected: string }
  /** The destination refuses what it is sent, or is damaged. */
  | { code: "SINK"; target: string; reason: string }
> {}
