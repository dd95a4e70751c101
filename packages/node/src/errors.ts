import { CambiumError } from "@cambium/primitives";

/** Configurations that the node cannot run with. */
export class NodeError extends CambiumError<
  /** The built-in miner runs on development networks only. */
  | { code: "LOCAL_MINING_REFUSED"; network: string }
  | { code: "METRICS_LISTEN"; host: string; port: number; reason: string }
> {}
