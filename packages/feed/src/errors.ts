import { CambiumError } from "@cambium/primitives";

/**
 * Reasons why a feed cannot start or continue. All other failures are temporary: the feed logs them and tries again.
 */
export class FeedError extends CambiumError<
  /** The destination is malformed. */
  | { code: "TARGET"; target: string; expected: string }
  /** The server at the URL does not answer like a node. */
  | { code: "NODE"; url: string; reason: string }
  /** The node does not serve a method that a table needs. */
  | { code: "METHOD_MISSING"; method: string; module: string; table: string }
  /** The node lacks data of a block that the feed needs. */
  | { code: "HISTORY_MISSING"; number: number; reason: string }
  /** The destination holds another chain, or other tables; `what` names the difference. */
  | { code: "OTHER_CONTENT"; target: string; what: string; found: string; expected: string }
  /** The destination refuses rows, or is damaged. */
  | { code: "SINK"; target: string; reason: string }
> {}
