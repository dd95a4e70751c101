import { join } from "node:path";
import { addFirstVersion, encodeTrieBlock, FACTS, FlatStates, FlatStateWriter, TABLES } from "@cambium/chain-store";
import {
  attachLevelDatabase,
  type Database,
  numberKey,
  openLevelDatabase,
  readNumber,
  type Write,
  WriteQueue,
} from "@cambium/database";
import { keccak256, numberToBytes } from "@cambium/primitives";
import { accountKey, type StateChange } from "@cambium/state";
import { withFolder } from "@cambium/test-utils/node-cli";
import { NodeCache, Trie } from "@cambium/trie";

type Print = (name: string, value: number, unit: string) => void;

const BLOCKS = Number(process.env.HISTORY ?? 20_000);
const ACCOUNTS = 100_000;
/** Accounts that a block changes: the first two in every block, the others at random. */
const [HOT, COLD] = [2, 8];
const READS = 2_000;
const DEPTHS = [0, 100, 10_000, 90_000];

/** A block's hash, from which its number can be read. */
function hashAt(number: number): Uint8Array {
  const hash = keccak256(numberToBytes(number + 1)).slice();
  hash.set(numberKey(number));
  return hash;
}

const parentOf = (hash: Uint8Array) => hashAt(readNumber(hash, 0) - 1);

function keyAt(index: number): Uint8Array {
  return accountKey(keccak256(numberToBytes(index + 1)).slice(12));
}

/** Measures reads of values in states of the flat layout, of a chain whose blocks change random accounts. */
export async function run(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const location = join(folder, "chain");
    const database = await openLevelDatabase(location, { create: true });
    const started = performance.now();
    const bytes = await writeHistory(database);
    print("old states: blocks written", (BLOCKS * 1_000) / (performance.now() - started), "blocks/s");
    print("old states: history", bytes / BLOCKS, "bytes/block");
    const other = await attachLevelDatabase(location);
    const states = new FlatStates({ reader: other, parentOf, hashesAt: () => [] }, undefined);
    for (const depth of DEPTHS.filter((blocks) => blocks < BLOCKS)) {
      const number = BLOCKS - depth;
      const state = states.after({ number, hash: hashAt(number) }, { stateRoot: rootAt(number), totalDifficulty: 1n })!;
      for (const [name, indexOf] of [
        ["any account", (i: number) => (i * 7_919) % ACCOUNTS],
        ["one that every block changes", (i: number) => i % HOT],
      ] as const) {
        const begun = performance.now();
        for (let i = 0; i < READS; i++) state.get(keyAt(indexOf(i)));
        print(`old states: ${name}, ${depth} blocks back`, ((performance.now() - begun) * 1_000) / READS, "µs");
      }
    }
    await other.close();
    await database.close();
  });
}

const roots = new Map<number, Uint8Array>();

function rootAt(number: number): Uint8Array {
  return roots.get(number)!;
}

/** Returns the number of bytes in all diffs. */
async function writeHistory(database: Database): Promise<number> {
  const queue = new WriteQueue(database);
  const trie = new Trie({ byPlace: true, get: () => undefined });
  const writes: Write[] = [];
  for (let index = 0; index < ACCOUNTS; index++) {
    trie.put(keyAt(index), numberToBytes(index + 1));
    addFirstVersion(writes, keyAt(index), numberToBytes(index + 1), 0);
  }
  trie.saveByPlace({ put: (key, value) => writes.push({ table: TABLES.trieNodes, key, value }) });
  const genesis = { number: 0, hash: hashAt(0), root: trie.hash() };
  writes.push({ table: TABLES.facts, key: FACTS.trieBlock, value: encodeTrieBlock(genesis) });
  writes.push({ table: TABLES.bestChain, key: numberKey(0), value: genesis.hash });
  await queue.append(writes);
  const best = { number: 0, hash: genesis.hash, stateRoot: genesis.root };
  const writer = new FlatStateWriter({ reader: queue, parentOf, hashesAt: () => [] }, new NodeCache(250_000), best);
  let bytes = 0;
  let root = genesis.root;
  for (let number = 1; number <= BLOCKS; number++) {
    const parent = { number: number - 1, hash: hashAt(number - 1) };
    const state = writer.after(parent, { stateRoot: root, totalDifficulty: 1n })!.after(changesAt(number));
    root = state.root;
    if (DEPTHS.includes(BLOCKS - number)) roots.set(number, root);
    const hash = hashAt(number);
    const change = { commonAncestor: parent.hash, removed: [], added: [hash] };
    const changes = writer.accept({ number, hash }, state, change);
    bytes += changes.reduce((sum, { table, value }) => sum + (table === TABLES.stateDiffs ? value!.length : 0), 0);
    queue.append([...changes, { table: TABLES.bestChain, key: numberKey(number), value: hash }]);
    await queue.room();
  }
  await queue.idle();
  return bytes;
}

function changesAt(number: number): StateChange[] {
  const changes: StateChange[] = [];
  const add = (index: number) => changes.push({ key: keyAt(index), value: numberToBytes(number + index + 1) });
  for (let i = 0; i < HOT; i++) add(i);
  for (let i = 0; i < COLD; i++) add(HOT + (((number * COLD + i) * 104_729) % (ACCOUNTS - HOT)));
  return changes;
}
