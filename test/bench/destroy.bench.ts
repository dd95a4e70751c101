import { join } from "node:path";
import { addFirstVersion, encodeTrieBlock, FACTS, FlatStateWriter, FlatTables, TABLES } from "@cambium/chain-store";
import { type Database, numberKey, openLevelDatabase, readNumber, type Write, WriteQueue } from "@cambium/database";
import { bigintToFixedBytes, concatBytes, keccak256, numberToBytes } from "@cambium/primitives";
import { accountKey, cellKey, markerKey } from "@cambium/state";
import { withFolder } from "@cambium/test-utils/node-cli";
import { cpuTime } from "@cambium/test-utils/processes/cpu-time";
import { NodeCache, Trie } from "@cambium/trie";

type Print = (name: string, value: number, unit: string) => void;

const CASES = [
  { cells: 10_000, largeStorage: Number.POSITIVE_INFINITY },
  { cells: 10_000, largeStorage: undefined },
  { cells: 1_000_000, largeStorage: undefined },
];
const ACCOUNT = accountKey(new Uint8Array(20).fill(0xdd));
const OTHER_ACCOUNTS = 10_000;
/** Number of values that are put before nodes are written. */
const BATCH = 50_000;

function hashAt(number: number): Uint8Array {
  return concatBytes(numberKey(number), keccak256(numberToBytes(number + 1)).slice(8));
}

const source = {
  parentOf: (hash: Uint8Array) => hashAt(readNumber(hash, 0) - 1),
  hashesAt: (number: number) => [hashAt(number)],
};

/**
 * Measures the processor time of a block that destroys an account with many cells, of its rewind, and of its return.
 */
export async function run(print: Print): Promise<void> {
  for (const { cells, largeStorage } of CASES) {
    await withFolder(async (folder) => {
      const database = await openLevelDatabase(join(folder, "chain"), { create: true });
      const queue = new WriteQueue(database);
      const stateRoot = await writeState(database, queue, cells);
      const how = largeStorage === undefined ? "" : " one by one";
      const name = `${cells} cells${how}`;
      await destroy(queue, stateRoot, largeStorage, (what, value, unit) => print(`${name}: ${what}`, value, unit));
      await database.close();
    });
  }
}

async function destroy(
  queue: WriteQueue,
  stateRoot: Uint8Array,
  largeStorage: number | undefined,
  print: Print,
): Promise<void> {
  const [genesis, block] = [0, 1].map((number) => ({ number, hash: hashAt(number) })) as [Block, Block];
  const options = largeStorage === undefined ? {} : { largeStorage };
  const best = { ...genesis, stateRoot };
  const writer = new FlatStateWriter({ reader: queue, ...source }, new NodeCache(250_000), best, options);
  const change = { commonAncestor: genesis.hash, removed: [], added: [block.hash] };
  const adopt = () => {
    const state = writer.after(genesis, { stateRoot, totalDifficulty: 1n })!;
    const after = state.after([{ key: ACCOUNT, value: undefined, isPrefix: true }]);
    after.root;
    return writer.accept(block, after, change);
  };
  const rewind = () => writer.rewind({ commonAncestor: genesis.hash, removed: [block.hash], added: [] }, genesis);
  // The first change opens the trie.
  writer.after(genesis, { stateRoot, totalDifficulty: 1n })!.after([{ key: ACCOUNT, value: Uint8Array.of(1) }]).root;
  for (const [what, make, hash] of [
    ["destroyed", adopt, block.hash],
    ["rewound", rewind, undefined],
    ["destroyed again", adopt, block.hash],
  ] as const) {
    const begun = cpuTime();
    const writes = make();
    print(what, cpuTime() - begun, "ms");
    const diff = writes.find(({ table, value }) => table === TABLES.stateDiffs && value !== undefined);
    if (diff !== undefined) print("history", diff.value!.length, "bytes");
    await queue.append([...writes, { table: TABLES.bestChain, key: numberKey(1), value: hash }]);
  }
}

interface Block {
  number: number;
  hash: Uint8Array;
}

/** Writes the state of block 0; returns its root. */
async function writeState(database: Database, queue: WriteQueue, cells: number): Promise<Uint8Array> {
  const { nodes } = new FlatTables(database);
  let trie = new Trie(nodes);
  let writes: Write[] = [];
  const save = async () => {
    const root = trie.saveByPlace({ put: (key, value) => void writes.push({ table: TABLES.trieNodes, key, value }) });
    await queue.append(writes);
    trie = new Trie(nodes, root);
    writes = [];
    return root;
  };
  let put = 0;
  for (const [key, value] of entries(cells)) {
    trie.put(key, value);
    addFirstVersion(writes, key, value, 0);
    if (++put % BATCH === 0) await save();
  }
  const root = await save();
  await queue.append([
    { table: TABLES.facts, key: FACTS.trieBlock, value: encodeTrieBlock({ number: 0, hash: hashAt(0), root }) },
    { table: TABLES.bestChain, key: numberKey(0), value: hashAt(0) },
  ]);
  return root;
}

function* entries(cells: number): Generator<[Uint8Array, Uint8Array]> {
  for (let i = 0; i < OTHER_ACCOUNTS; i++) yield [accountKey(keccak256(numberToBytes(i + 1)).slice(12)), RECORD];
  yield [ACCOUNT, RECORD];
  yield [markerKey(ACCOUNT), Uint8Array.of(1)];
  for (let i = 0; i < cells; i++)
    yield [cellKey(ACCOUNT, bigintToFixedBytes(BigInt(i), 32)), new Uint8Array(32).fill(1)];
}

const RECORD = Uint8Array.of(0xc2, 0x80, 0x80);
