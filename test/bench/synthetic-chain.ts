import type { Database, Write } from "@cambium/chain";
import { openChain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { numberToBytes } from "@cambium/primitives";
import { Block, BlockHeader, bloomOfLogs, type Log, type Receipt, rewardTransaction } from "@cambium/types";
import { LogIndexWriter } from "../../packages/chain/lib/log-index.js";
import { adoptWrites, ChainStore } from "../../packages/chain/lib/store.js";
import { FACTS, TABLES } from "../../packages/chain/lib/tables.js";

const network = NETWORKS.local;
const BATCH_BLOCKS = 256;

/** Contracts that log, in turn, one block after the other. */
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

/** Writes `count` blocks above genesis into an empty database, as imports would have; each logs once. Nothing is executed. */
export async function writeSyntheticChain(database: Database, count: number): Promise<void> {
  const chain = await openChain({ network, database });
  const store = new ChainStore(database, network);
  const index = new LogIndexWriter(database);
  const { stateRoot } = store.standing(chain.genesis.hash)!;
  let parentHash = chain.genesis.hash;
  let writes: Write[] = [];
  for (let number = 1; number <= count; number++) {
    const log: Log = {
      address: contractAt(number % CONTRACTS),
      topics: [topicAt(number % TOPICS)],
      data: new Uint8Array(32),
    };
    const { block, receipts } = loggingBlock(number, parentHash, log);
    const standing = { stateRoot, totalDifficulty: BigInt(number + 1) };
    writes.push(...store.blockWrites(block, receipts, standing), ...adoptWrites(block), ...index.add(number, receipts));
    parentHash = block.hash;
    if (number % BATCH_BLOCKS !== 0 && number !== count) continue;
    await database.write([...writes, { table: TABLES.facts, key: FACTS.best, value: block.hash }]);
    writes = [];
  }
}

/** A block with nothing but its reward transaction, which logs. */
export function loggingBlock(number: number, parentHash: Uint8Array, log: Log): { block: Block; receipts: Receipt[] } {
  const logsBloom = bloomOfLogs([log]);
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
      timestamp: 1_600_000_000 + number,
      extraData: new Uint8Array(0),
      paidFees: 0n,
      minimumGasPrice: 0n,
      uncleCount: 0,
      ummRoot: new Uint8Array(0),
      version: 2,
      executionEdges: [1],
      baseEvent: new Uint8Array(0),
      parentChainHeader: new Uint8Array(80).fill(3),
      merkleProof: new Uint8Array(64).fill(4),
      parentChainCoinbase: new Uint8Array(100).fill(5),
    },
    network,
  );
  const receipts: Receipt[] = [{ status: 1, gasUsed: 0, cumulativeGas: 0, logsBloom, logs: [log] }];
  return { block: new Block(header, [rewardTransaction(number)], []), receipts };
}
