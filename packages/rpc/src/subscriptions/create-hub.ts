import type { ChainReader } from "@cambium/chain";
import type { Block } from "@cambium/types";
import type { ChainFeed } from "../chain-feed.js";
import type { ClientBudget } from "../client-budget.js";
import type { RpcConfig } from "../config.js";
import { blockObject } from "../objects/block.js";
import type { NewsSources } from "../sources.js";
import { SubscriptionHub } from "./hub.js";

export interface HubParts {
  chain: ChainReader;
  config: RpcConfig;
  feed: ChainFeed;
  budget: ClientBudget;
}

/** Creates the subscriptions of a thread. */
export function createHub({ chain, config, feed, budget }: HubParts, sources: NewsSources): SubscriptionHub {
  // Every member of a block: client libraries expect `mixHash` and `nonce`, which 00 does not list.
  const headObject = (block: Block) => blockObject({ chain, config }, block, false);
  return new SubscriptionHub(feed, sources, budget, headObject);
}
