import { type ChainReader, openChain, openReader } from "@cambium/chain";
import { adoptWrites, ChainStore, FACTS, LogIndexWriter, TABLES } from "@cambium/chain-store";
import { headerVersionAt, NETWORKS, rulesAt } from "@cambium/config";
import { type Database, type Write, WriteQueue } from "@cambium/database";
import { EMPTY_BYTES, numberToBytes } from "@cambium/primitives";
import { Block, BlockHeader, bloomOfLogs, type Log, type Receipt, rewardTransaction } from "@cambium/types";

const network = NETWORKS.local;
const BATCH_BLOCKS = 256;

/** Number of contracts that log, in turn, one block after the other. */
export const CONTRACTS = 1_000;
/** Values of the first topic, in turn. */
export const TOPICS = 100;

export function contractAt(index: number): Uint8Array {
  return filled(20, index);
}

export function topicAt(index: number): Uint8Array {
  return filled(32, index);
}

function filled(length: number, index: number): Uint8Array {
  const bytes = new Uint8Array(length).fill(0xee);
  bytes.set(numberToBytes(index + 0x10000), 0);
  return bytes;
}

/** Number of logs of the contract that {@link rareContract} names. */
export const RARE_LOGS = 10;

/** A contract that logs {@link RARE_LOGS} times, evenly spread, in a chain of this length. */
export function rareContract(length: number): Uint8Array {
  return contractAt(1_000_000 + length);
}

/** A chain of blocks, written as imports would write them, with one log each. Nothing is executed. */
export class SyntheticChain {
  private best = 0;
  private readonly queue: WriteQueue;
  private readonly store: ChainStore;
  private readonly index: LogIndexWriter;

  private constructor(
    private readonly database: Database,
    private parentHash: Uint8Array,
  ) {
    this.queue = new WriteQueue(database, { hashTable: TABLES.stateNodes });
    this.store = new ChainStore(this.queue, network);
    this.index = new LogIndexWriter(this.queue);
  }

  /** `database` is empty. */
  static async open(database: Database): Promise<SyntheticChain> {
    const { genesis } = await openChain({ network, database });
    return new SyntheticChain(database, genesis.hash);
  }

  /** Extends the chain until the best block has this number. */
  async grow(length: number): Promise<void> {
    const { stateRoot } = this.store.outcome(this.parentHash)!;
    const spacing = Math.floor((length - this.best) / RARE_LOGS);
    let [writes, rare]: [Write[], number] = [[], 0];
    for (let number = this.best + 1; number <= length; number++) {
      const isRare = number % spacing === 0 && rare++ < RARE_LOGS;
      const { block, receipts } = loggingBlock(number, this.parentHash, {
        address: isRare ? rareContract(length) : contractAt(number % CONTRACTS),
        topics: [topicAt(number % TOPICS)],
        data: new Uint8Array(32),
      });
      const outcome = { stateRoot, totalDifficulty: BigInt(number + 1) };
      writes.push(...this.store.blockWrites(block, receipts, outcome), ...adoptWrites(block));
      writes.push(...this.index.add(number, receipts));
      this.parentHash = block.hash;
      if (number % BATCH_BLOCKS !== 0 && number !== length) continue;
      this.queue.append([...writes, { table: TABLES.facts, key: FACTS.best, value: block.hash }]);
      writes = [];
      await this.queue.room();
    }
    await this.queue.idle();
    this.best = length;
  }

  /** Returns the present chain. */
  reader(): ChainReader {
    return openReader({ network, database: this.database });
  }
}

/** Returns a block with only its reward transaction, which logs. */
export function loggingBlock(
  number: number,
  parentHash: Uint8Array,
  log: Log,
  { config = network } = {},
): { block: Block; receipts: Receipt[] } {
  const logsBloom = bloomOfLogs([log]);
  const version = headerVersionAt(rulesAt(config, number));
  const header = BlockHeader.create(
    {
      parentHash,
      unclesHash: new Uint8Array(32).fill(0x1d),
      coinbase: new Uint8Array(20).fill(0x99),
      stateRoot: new Uint8Array(32).fill(1),
      transactionsRoot: new Uint8Array(32).fill(2),
      receiptsRoot: new Uint8Array(32).fill(3),
      logsBloom,
      difficulty: 1n,
      number,
      gasLimit: numberToBytes(6_800_000),
      gasUsed: 0,
      timestamp: BigInt(1_600_000_000 + number),
      extraData: new Uint8Array(0),
      paidFees: 0n,
      minimumGasPrice: 0n,
      uncleCount: 0,
      ummRoot: new Uint8Array(0),
      version,
      executionEdges: version === 0 ? null : [1],
      baseEvent: version === 2 ? EMPTY_BYTES : null,
      parentChainHeader: new Uint8Array(80).fill(3),
      merkleProof: new Uint8Array(64).fill(4),
      parentChainCoinbase: new Uint8Array(100).fill(5),
    },
    config,
  );
  const receipts: Receipt[] = [{ status: 1, gasUsed: 0, cumulativeGas: 0, logsBloom, logs: [log] }];
  return { block: new Block(header, [rewardTransaction(number)], []), receipts };
}
