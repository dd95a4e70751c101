import { CambiumError } from "@cambium/primitives";

/** Configurations that the node cannot run with, and failures of its threads. */
export class NodeError extends CambiumError<
  /** The built-in miner runs on development networks only. */
  | { code: "LOCAL_MINING_REFUSED"; network: string }
  /** The blocks of a fork are invalid on the forked network, so it must not have peers, on any wire. */
  | { code: "FORK_WITH_PEERS"; network: string }
  /** A thread that failed was replaced since the pending transactions were executed. */
  | { code: "NOTHING_EXECUTED" }
  /** A thread that did not end the execution of a transaction was replaced. */
  | { code: "THREAD_STUCK"; thread: string }
  /** The database contains an unfinished snapshot of this block, and the options do not say what to do with it. */
  | { code: "SNAPSHOT_UNFINISHED"; block: number }
  /** Blocks below a snapshot are downloaded past the log from which replicas are fed. */
  | { code: "REPLICATED_SNAPSHOT" }
  /** JSON-RPC is asked for its addresses before it listens. */
  | { code: "NOT_LISTENING" }
  | { code: "METRICS_LISTEN"; host: string; port: number; reason: string }
> {}
