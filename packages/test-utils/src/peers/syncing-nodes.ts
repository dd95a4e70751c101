import { createChainEvm } from "@cambium/chain";
import { GossipService, SyncEngine } from "@cambium/sync";
import { TransactionPool } from "@cambium/txpool";
import { SILENT } from "../silent-logger.js";
import { type TestNode, type TestNodeOptions, TestNodes } from "./network-nodes.js";

/** A node under test that synchronises and takes part in gossip. */
export interface SyncingNode extends TestNode {
  pool: TransactionPool;
}

/** Starts nodes like `TestNodes`, with everything between the network and the chain. */
export class SyncingNodes {
  private readonly nodes = new TestNodes();
  private readonly endings: (() => Promise<unknown>)[] = [];

  async start(options: TestNodeOptions = {}): Promise<SyncingNode> {
    const node = await this.nodes.start(options);
    const { chain, network } = node;
    const now = () => Date.now() / 1000;
    const pool = new TransactionPool({ chain, evm: createChainEvm(chain.network), now });
    const engine = new SyncEngine({ chain, network, logger: SILENT });
    const gossip = new GossipService({ chain, pool, network, engine, now, logger: SILENT });
    gossip.start();
    engine.start();
    this.endings.push(async () => {
      await engine.stop();
      gossip.stop();
      pool.close();
    });
    return { ...node, pool };
  }

  /** Starts a node that only serves its data. */
  startServing(options: TestNodeOptions = {}): Promise<TestNode> {
    return this.nodes.start(options);
  }

  folder(): Promise<string> {
    return this.nodes.folder();
  }

  async end(): Promise<void> {
    for (const end of this.endings.splice(0)) await end();
    await this.nodes.end();
  }
}
