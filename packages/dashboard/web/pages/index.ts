import type { ComponentType } from "preact";
import { AddressPage } from "./address.js";
import { BlockPage } from "./block.js";
import { BlocksPage } from "./blocks.js";
import { BridgePage } from "./bridge.js";
import { MiningPage } from "./mining.js";
import { NoPage } from "./no-page.js";
import { OverviewPage } from "./overview.js";
import { PeersPage } from "./peers.js";
import { PlaygroundPage } from "./playground.js";
import { PoolPage } from "./pool.js";
import { TransactionPage } from "./transaction.js";

export interface Page {
  name: string;
  title: string;
  Page: ComponentType<{ subject: string }>;
  /** Whether it is about one thing, which its address names. */
  isDetail?: boolean;
  /** The page that the menu marks instead. */
  parent?: string;
}

export const PAGES: readonly Page[] = [
  { name: "overview", title: "Overview", Page: OverviewPage },
  { name: "blocks", title: "Blocks", Page: BlocksPage },
  { name: "pool", title: "Pool", Page: PoolPage },
  { name: "peers", title: "Peers", Page: PeersPage },
  { name: "mining", title: "Mining", Page: MiningPage },
  { name: "bridge", title: "Bridge", Page: BridgePage },
  { name: "rpc", title: "JSON-RPC", Page: PlaygroundPage },
  { name: "block", title: "Block", Page: BlockPage, isDetail: true, parent: "blocks" },
  { name: "transaction", title: "Transaction", Page: TransactionPage, isDetail: true, parent: "blocks" },
  { name: "address", title: "Address", Page: AddressPage, isDetail: true, parent: "blocks" },
];

export const NO_PAGE: Page = { name: "", title: "No such page", Page: NoPage };

export function pageOf(name: string): Page | undefined {
  return PAGES.find((page) => page.name === name);
}
