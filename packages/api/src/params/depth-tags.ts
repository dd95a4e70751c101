import type { ChainReader } from "@cambium/chain";
import { isDeployed } from "../compatibility.js";
import type { ApiConfig } from "../config.js";

/** Tags that select a block by its depth below the best block. */
export type DepthTag = "safe" | "finalized";

/** No block of a proof-of-work chain is final; at these depths, reorganisations have not been seen. */
const DEPTHS: Readonly<Record<DepthTag, number>> = { safe: 100, finalized: 500 };

/** Resolves the tags; undefined if the node does not serve them. */
export type DepthTags = (tag: DepthTag) => number | undefined;

/** The tags of a node, on a short chain genesis. */
export function depthTags({ chain, config }: { chain: ChainReader; config: ApiConfig }): DepthTags {
  const { finality = !isDeployed(config) } = config;
  return (tag) => (finality ? Math.max(chain.best().header.number - DEPTHS[tag], 0) : undefined);
}
