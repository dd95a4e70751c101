import { CambiumError } from "@cambium/primitives";

/** Configurations that cannot be run. */
export class NodeError extends CambiumError<
  /** The built-in miner is for networks of development. */
  | { code: "LOCAL_MINING_REFUSED"; network: string }
  | { code: "METRICS_LISTEN"; host: string; port: number; reason: string }
> {}
