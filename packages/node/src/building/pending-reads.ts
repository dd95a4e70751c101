import type { ThreadedChain } from "@cambium/chain";
import type { TransactionPool } from "@cambium/txpool";
import { Block } from "@cambium/types";
import { BuildingClient, type BuildingClientOptions } from "./building-client.js";
import { PendingValue } from "./pending-value.js";
import { ThreadedBuilder } from "./threaded-builder.js";

export interface PendingReadsModules {
  chain: ThreadedChain;
  pool: TransactionPool;
  client: BuildingClientOptions;
}

/** Pending block and state for requests, executed in a separate thread, so that miners' work never waits for them. */
export class PendingReads {
  private readonly client: BuildingClient;
  private readonly blocks: PendingValue<Block>;
  private readonly executions: PendingValue<void>;

  constructor({ chain, pool, client: options }: PendingReadsModules) {
    const client = new BuildingClient({
      ...options,
      onFailure: (error) => {
        this.executions.forget();
        options.onFailure(error);
      },
    });
    this.client = client;
    // Reads never evict from the pool.
    const readOnly = { ordered: () => pool.ordered(), evict() {} };
    const builder = new ThreadedBuilder({ chain, pool: readOnly, client });
    this.blocks = new PendingValue(chain, pool, async ({ parentHash }) => {
      const { header, transactions, uncles } = await builder.build({ parentHash });
      return new Block(header, transactions, uncles);
    });
    this.executions = new PendingValue(chain, pool, ({ parentHash, transactions }) =>
      client.call("execute", (mirror) => ({ parentHash: parentHash.slice(), pool: mirror.update(transactions) })),
    );
  }

  /** The block that would be mined next, as simulations see it (`spec/09 §5.1`, 2). */
  block(): Promise<Block> {
    return this.blocks.get();
  }

  /** Balance with the pending transactions executed on top of the best block (`spec/08 §8`), in wei. */
  async getBalance(address: Uint8Array): Promise<bigint> {
    await this.executions.get();
    return this.client.call("balance", () => address.slice());
  }

  /** Bytes of a cell in the same state; undefined if it is empty. */
  async getStorageBytes(address: Uint8Array, key: Uint8Array): Promise<Uint8Array | undefined> {
    await this.executions.get();
    return this.client.call("storage", () => ({ address: address.slice(), key: key.slice() }));
  }

  /** Waits for reads in progress. */
  close(): Promise<void> {
    return this.client.close();
  }
}
