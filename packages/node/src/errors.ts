import { CambiumError } from "@cambium/primitives";

/** Configurations that cannot be run. */
export class NodeError extends CambiumError<
  /** The built-in miner is for networks of one's own. */
  { code: "LOCAL_MINING_REFUSED"; network: string }
> {}
