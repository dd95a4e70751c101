import { CambiumError } from "@cambium/primitives";

/** Unusable configurations of a node, and failures of its threads. */
export class NodeError extends CambiumError<
  /** The built-in miner runs on development networks only. */
  | { code: "LOCAL_MINING_REFUSED"; network: string }
  /** The blocks of a fork are invalid on the forked network, so it must not have peers, on any wire. */
  | { code: "FORK_WITH_PEERS"; network: string }
  /** The thread that executed the pending transactions failed and was replaced. */
  | { code: "NOTHING_EXECUTED" }
  /** A thread that did not end the execution of a transaction was replaced. */
  | { code: "THREAD_STUCK"; thread: string }
  /** The database contains an unfinished snapshot of this block, and no option says whether to continue it. */
  | { code: "SNAPSHOT_UNFINISHED"; block: number }
  /** Blocks below a snapshot would be downloaded without the log that feeds replicas. */
  | { code: "REPLICATED_SNAPSHOT" }
  /** The addresses of JSON-RPC were requested before it listens. */
  | { code: "NOT_LISTENING" }
  | { code: "METRICS_LISTEN"; host: string; port: number; reason: string }
> {}
