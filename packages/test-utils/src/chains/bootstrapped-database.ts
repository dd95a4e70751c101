import { type Chain, prepareDatabase } from "@cambium/chain";
import { adoptWrites, ChainStore, contentWrites, FACTS, NO_STATE, TABLES } from "@cambium/chain-store";
import { MemoryDatabase, numberKey, type Write } from "@cambium/database";
import { append } from "@cambium/primitives";

/**
 * Returns the blocks of a chain from one on, as a database has them after published state is installed; without the
 * state. `excess` is added to the true total difficulty.
 */
export async function bootstrappedDatabase(chain: Chain, earliest: number, excess = 0n): Promise<MemoryDatabase> {
  const { network } = chain;
  const database = new MemoryDatabase();
  await prepareDatabase({ network, database });
  const store = new ChainStore(database, network);
  const best = chain.best();
  const writes: Write[] = [
    { table: TABLES.facts, key: FACTS.best, value: best.hash },
    { table: TABLES.facts, key: FACTS.snapshot, value: numberKey(best.header.number) },
    { table: TABLES.facts, key: FACTS.earliest, value: numberKey(earliest) },
  ];
  for (let number = earliest; number <= best.header.number; number++) {
    const block = chain.blockByNumber(number)!;
    const totalDifficulty = chain.totalDifficulty(block.hash)! + excess;
    append(writes, contentWrites(block));
    append(writes, adoptWrites(block));
    append(writes, store.outcomeWrites(block.header, { stateRoot: NO_STATE, totalDifficulty }));
  }
  await database.write(writes);
  return database;
}
