import { openChain } from "@cambium/chain";
import { exportFile } from "@cambium/chain-maintenance";
import { NETWORKS } from "@cambium/config";
import { type Database, MemoryDatabase, openLevelDatabase, type Table, type Write } from "@cambium/database";
import { concatBytes, fromHex } from "@cambium/primitives";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { Mine } from "@cambium/test-utils/mined-chains";
import { signTransaction, type Transaction } from "@cambium/types";
import { addressAt, cellAt } from "./large-state.js";
import { TOKEN } from "./token.js";

const KEYS = DEVELOPERS.map(({ privateKey }) => fromHex(privateKey.slice(2)));
/** Timestamp in seconds, later than block 1. */
const START = 1_700_000_000;
const GAS_PRICE = 1_000_000_000n;

/**
 * Mines blocks on block 1 of a large state, and exports them. Half of the transactions are transfers to random
 * accounts, half change two random cells each. The database is not changed.
 */
export async function mineRandomBlocks(
  location: string,
  file: string,
  { entries, blocks, transactions }: { entries: number; blocks: number; transactions: number },
): Promise<void> {
  const database = new Overlay(await openLevelDatabase(location));
  const chain = await openChain({ network: NETWORKS.local, database, now: () => START + blocks });
  let number = 0;
  const mine = new Mine(chain, "a", () => START + number);
  let count = 0;
  const random = (index: number) => (index * 7_919 + 104_729) % Math.floor(entries / 2);
  const next = (): Transaction => {
    const index = count++;
    const common = { nonce: BigInt(Math.floor(index / KEYS.length)), gasPrice: GAS_PRICE, chainId: 33 };
    const cells = concatBytes(cellAt(random(2 * index)), cellAt(random(2 * index + 1)));
    const own =
      index % 2 === 0
        ? { to: addressAt(random(index)), value: 1n, gasLimit: 21_000n }
        : { to: TOKEN, value: 0n, data: cells, gasLimit: 60_000n };
    return signTransaction({ ...common, ...own }, KEYS[index % KEYS.length]!);
  };
  for (; number < blocks; number++) {
    mine.transactions = Array.from({ length: transactions }, next);
    const { transactions: mined } = await mine.block();
    if (mined.length !== transactions + 1) throw new Error(`${mined.length} transactions in block ${number + 2}`);
  }
  await exportFile(chain, file, { fromBlock: 2 });
  await chain.close();
}

/** Keeps changes in memory. */
class Overlay implements Database {
  private readonly own = new MemoryDatabase();

  constructor(private readonly base: Database) {}

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    return this.own.get(table, key) ?? this.base.get(table, key);
  }

  write(batch: readonly Write[]): Promise<void> {
    return this.own.write(batch);
  }

  entries(table: Table): AsyncIterable<{ key: Uint8Array; value: Uint8Array }> {
    return this.base.entries(table);
  }

  close(): Promise<void> {
    return this.base.close();
  }
}
