import { type BlockId, type LogLocation, type LogQuery, NO_STATE, TABLES } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import { readNumber } from "@cambium/database";
import { bigintToBytes, concatBytes, toData, toQuantity } from "@cambium/primitives";
import { BlockHeader } from "@cambium/types";
import { asObject, listOf } from "./block-json.js";
import type { ForkAnswerer, ForkAnswers } from "./fork-messages.js";
import { RemoteBlocks } from "./remote-blocks.js";
import { LOGS, locatedLog } from "./remote-logs.js";
import { RemoteSource } from "./remote-source.js";
import { RemoteValues } from "./remote-values.js";

/** Answers from a JSON-RPC endpoint, and keeps them on disk. */
export class RemoteAnswerer implements ForkAnswerer {
  private readonly blocks: RemoteBlocks;

  private constructor(
    private readonly source: RemoteSource,
    private readonly values: RemoteValues,
  ) {
    this.blocks = new RemoteBlocks(source);
  }

  static of(network: NetworkConfig): RemoteAnswerer {
    const source = new RemoteSource(network);
    return new RemoteAnswerer(source, new RemoteValues(source));
  }

  /** Returns an answerer for the state after an earlier block; its answers are not kept on disk. */
  after(block: BlockId): RemoteAnswerer {
    const source = this.source.after(block);
    return new RemoteAnswerer(source, this.values.of(source));
  }

  value(key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.values.get(key);
  }

  /** Rejects: JSON-RPC cannot list the keys of a state. */
  async entries(): Promise<ForkAnswers["entries"]> {
    throw this.source.endpoint.failure("entries of the state", "JSON-RPC cannot list accounts or storage cells");
  }

  async block(table: number, key: Uint8Array): Promise<Uint8Array | undefined> {
    switch (table) {
      case TABLES.bestChain:
        return this.blocks.hashAt(readNumber(key, 0));
      case TABLES.headers:
        return (await this.blocks.parts(key))?.header;
      case TABLES.transactions:
        return (await this.blocks.parts(key))?.transactions;
      case TABLES.uncles:
        return (await this.blocks.parts(key))?.uncles;
      case TABLES.outcomes: {
        const parts = await this.blocks.parts(key);
        return parts && concatBytes(NO_STATE, bigintToBytes(parts.totalDifficulty));
      }
      case TABLES.receipts:
        return this.blocks.receipts(key);
      case TABLES.transactionIndex:
        return this.blocks.position(key);
      default:
        return undefined;
    }
  }

  async logs(query: LogQuery): Promise<LogLocation[]> {
    const { addresses = [], topics = [], fromBlock, toBlock } = query;
    const filter = {
      fromBlock: toQuantity(fromBlock),
      toBlock: toQuantity(Math.min(toBlock, this.source.fork.number)),
      ...(addresses.length === 0 ? {} : { address: addresses.map(toData) }),
      topics: topics.map((some) => some?.map(toData) ?? null),
    };
    return this.source.kept(`logs ${JSON.stringify(filter)}`, LOGS, async () => {
      const found = await this.source.endpoint.call("eth_getLogs", filter);
      const logs = this.source.read("eth_getLogs", () => listOf(found).map((log) => locatedLog(asObject(log))));
      for (const log of logs) log.blockTimestamp ||= await this.timestamp(log.blockHash);
      return logs;
    });
  }

  /** Returns the timestamp of a block, for logs without one. */
  private async timestamp(hash: Uint8Array): Promise<bigint> {
    const parts = await this.blocks.parts(hash);
    return parts === undefined ? 0n : BlockHeader.decode(parts.header, this.source.network).timestamp;
  }
}
