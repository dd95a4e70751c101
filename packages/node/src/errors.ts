import { CambiumError } from "@cambium/primitives";

/** Configurations that the node cannot run with, and failures of its threads. */
export class NodeError extends CambiumError<
  /** The built-in miner runs on development networks only. */
  | { code: "LOCAL_MINING_REFUSED"; network: string }
  /** A thread that failed was replaced since the pending transactions were executed. */
  | { code: "NOTHING_EXECUTED" }
  | { code: "METRICS_LISTEN"; host: string; port: number; reason: string }
> {}
