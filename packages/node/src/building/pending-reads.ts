import type { PendingBlock } from "@cambium/api";
import type { NextBlockRequest } from "@cambium/miner";
import { equalBytes } from "@cambium/primitives";
import type { TransactionPool } from "@cambium/txpool";
import { Block } from "@cambium/types";
import { NodeError } from "../errors.js";
import type { NodeChain } from "../node-chain.js";
import { BuildingClient, type BuildingClientOptions } from "./building-client.js";
import type { BuildingCalls } from "./building-here.js";
import type { PendingWork } from "./building-messages.js";
import { type PendingBasis, PendingValue } from "./pending-value.js";
import type { PoolMirrorSender } from "./pool-mirror.js";
import { receivedTemplate } from "./received-template.js";

export interface PendingReadsParts {
  chain: NodeChain;
  pool: TransactionPool;
  /** Block builder that executes, or the options of a thread for it. */
  client: BuildingCalls | BuildingClientOptions;
  /** Returns the settings of the next block; absent: there are none. */
  next?: (() => NextBlockRequest) | undefined;
}

const NOTHING_SET: NextBlockRequest = { adjustment: 0, chosen: {} };
/** Maximum attempts of a read whose thread is replaced, or during which the best block changes. */
const MAX_ATTEMPTS = 3;

/**
 * Pending block and state for requests. With a separate thread, miners' work never waits for them.
 */
export class PendingReads {
  private readonly chain: NodeChain;
  private readonly client: BuildingCalls;
  private readonly blocks: PendingValue<PendingBlock>;
  private readonly executions: PendingValue<void>;

  constructor({ chain, pool, client: options, next = () => NOTHING_SET }: PendingReadsParts) {
    const client = "call" in options ? options : this.thread(options);
    this.chain = chain;
    this.client = client;
    this.blocks = new PendingValue(chain, pool, next, async (basis) => {
      const built = await client.call("pendingBlock", (mirror) => ({ ...workOn(basis)(mirror), next: basis.next }));
      const { header, transactions, uncles } = receivedTemplate(built, basis.transactions, chain.network);
      return { block: new Block(header, transactions, uncles), stateChanges: built.stateChanges };
    });
    this.executions = new PendingValue(chain, pool, next, (basis) => client.call("execute", workOn(basis)));
  }

  /** Changes the target for the minimum gas price of pending blocks, in wei. */
  setMinimumGasPrice(price: bigint): void {
    this.client.setMinimumGasPrice(price);
  }

  private thread(options: BuildingClientOptions): BuildingCalls {
    const onFailure = (error: Error) => {
      this.executions.forget();
      options.onFailure(error);
    };
    return new BuildingClient({ ...options, onFailure });
  }

  /** The block that would be mined next, as simulations see it (`spec/09 §5.1`, 2). */
  block(): Promise<PendingBlock> {
    return this.repeated(() => this.blocks.get());
  }

  /** Returns the balance with the pending transactions executed on top of the best block (`spec/08 §8`), in wei. */
  getBalance(address: Uint8Array): Promise<bigint> {
    return this.afterExecution(() => this.client.call("balance", () => address.slice()));
  }

  /** Returns the code of an account in the pending state; empty if it has none. */
  getCode(address: Uint8Array): Promise<Uint8Array> {
    return this.afterExecution(() => this.client.call("code", () => address.slice()));
  }

  /** Returns the bytes of a cell in the pending state; undefined if it is empty. */
  getStorageBytes(address: Uint8Array, key: Uint8Array): Promise<Uint8Array | undefined> {
    const cell = () => ({ address: address.slice(), key: key.slice() });
    return this.afterExecution(() => this.client.call("storage", cell));
  }

  private afterExecution<T>(read: () => Promise<T>): Promise<T> {
    return this.repeated(async () => {
      await this.executions.get();
      return read();
    });
  }

  /** Repeats a read that failed because its thread was replaced, or after the best block changed. */
  private async repeated<T>(read: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const { hash } = this.chain.best();
      try {
        return await read();
      } catch (error) {
        const isOutdated = isOfReplacedThread(error) || !equalBytes(this.chain.best().hash, hash);
        if (!isOutdated || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Waits for reads in progress. */
  close(): Promise<void> {
    return this.client.close();
  }
}

function isOfReplacedThread(error: unknown): boolean {
  return error instanceof NodeError && (error.code === "THREAD_STUCK" || error.code === "NOTHING_EXECUTED");
}

function workOn({ parentHash, transactions }: PendingBasis): (mirror: PoolMirrorSender) => PendingWork {
  return (mirror) => ({ parentHash: parentHash.slice(), pool: mirror.update(transactions) });
}
