import type { ChainReader } from "@cambium/chain";
import type { ApiConfig } from "../config.js";
import type { ClientBudget } from "../limits/client-budget.js";
import { blockObject } from "../objects/block.js";
import type { ChainFeed } from "../sources/chain-feed.js";
import type { NewsSources } from "../sources/events.js";
import { type HubNews, SubscriptionHub } from "./hub.js";

export interface HubParts {
  chain: ChainReader;
  config: ApiConfig;
  feed: ChainFeed;
  budget: ClientBudget;
}

/** Creates the subscriptions of a thread. */
export function createHub({ budget, ...parts }: HubParts, sources: NewsSources): SubscriptionHub {
  return new SubscriptionHub(hubNews(parts, sources), budget);
}

/** The events of a chain for {@link SubscriptionHub.follow}. */
export function hubNews({ chain, config, feed }: Omit<HubParts, "budget">, sources: NewsSources): HubNews {
  const { pendingTransactions, sync, work } = sources;
  // Every member of a block: client libraries expect `mixHash` and `nonce`, which the deployed client omits.
  return { feed, pendingTransactions, sync, work, headObject: (block) => blockObject({ chain, config }, block, false) };
}
