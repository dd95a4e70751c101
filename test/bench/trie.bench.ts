import { keccak256, toHex } from "@cambium/primitives";
import { JournaledState, openState } from "@cambium/state";
import { NodeCache, type NodeReader, type NodeSink, orderedListRoot, Trie } from "@cambium/trie";

/** Nodes in memory, so that the disk is not measured. */
class MemoryStore implements NodeReader, NodeSink {
  private readonly entries = new Map<string, Uint8Array>();

  get(hash: Uint8Array): Uint8Array | undefined {
    return this.entries.get(toHex(hash));
  }

  put(hash: Uint8Array, bytes: Uint8Array): void {
    this.entries.set(toHex(hash), bytes);
  }
}

type Print = (name: string, value: number, unit: string) => void;

/** Accounts changed in each of the simulated blocks. */
const CHANGED_PER_BLOCK = 100;
const BLOCKS = 100;
const READS = 100_000;

function addressOf(index: number): Uint8Array {
  return keccak256(Uint8Array.of(index >> 24, index >> 16, index >> 8, index)).slice(12);
}

/** Operations per second, if `action` performs `count` operations. */
function rate(count: number, action: () => void): number {
  const start = performance.now();
  action();
  return Math.round((count * 1000) / (performance.now() - start));
}

/** A stored state of `count` accounts. */
function build(count: number, store: MemoryStore, cache: NodeCache, print: Print): Uint8Array {
  const state = new JournaledState(openState(store, new Trie().hash(), cache));
  let root = new Uint8Array(0) as Uint8Array;
  const perSecond = rate(count, () => {
    for (let i = 0; i < count; i++) state.addBalance(addressOf(i), BigInt(i));
    const committed = state.commit();
    committed.state.save(store);
    root = committed.root;
  });
  print(`trie: build ${count} accounts`, perSecond, "writes/s");
  return root;
}

/** Blocks that change some accounts each, on the state of their parent. */
function blocks(count: number, store: MemoryStore, cache: NodeCache, genesis: Uint8Array, print: Print): void {
  let root = genesis;
  let next = 0;
  const perSecond = rate(BLOCKS * CHANGED_PER_BLOCK, () => {
    for (let block = 0; block < BLOCKS; block++) {
      const state = new JournaledState(openState(store, root, cache));
      for (let i = 0; i < CHANGED_PER_BLOCK; i++) state.addBalance(addressOf((next += 7919) % count), 1n);
      const committed = state.commit();
      committed.state.save(store);
      root = committed.root;
    }
  });
  print(`trie: blocks of ${CHANGED_PER_BLOCK} changes over ${count} accounts`, perSecond, "writes/s");
}

/** Reads through a new cache, then again through the now filled one. */
function reads(count: number, store: MemoryStore, root: Uint8Array, print: Print): void {
  const addresses = Array.from({ length: READS }, (_, i) => addressOf((i * 7919) % count));
  const cache = new NodeCache(5_000_000);
  for (const nodes of ["loading nodes", "nodes loaded"]) {
    const view = openState(store, root, cache);
    const perSecond = rate(READS, () => {
      for (const address of addresses) view.getBalance(address);
    });
    print(`trie: reads of ${count} accounts, ${nodes}`, perSecond, "reads/s");
  }
}

function journal(print: Print): void {
  const state = new JournaledState(openState(new MemoryStore(), new Trie().hash()));
  const address = addressOf(1);
  const other = addressOf(2);
  for (let slot = 0n; slot < 64n; slot++) state.setStorage(address, slot, slot + 1n);
  state.addBalance(other, 1n);
  const count = 2_000_000;
  const slots = Array.from({ length: 64 }, (_, slot) => BigInt(slot));
  const read = rate(count, () => {
    for (let i = 0; i < count; i++) state.getStorage(address, slots[i & 63]!);
  });
  print("state: cached cell reads", read, "reads/s");
  const write = rate(count, () => {
    for (let i = 0, start = state.checkpoint(); i < count; i++) {
      state.setStorage(address, slots[i & 63]!, BigInt(i));
      if ((i & 1023) === 1023) state.revertTo(start);
    }
  });
  print("state: cached cell writes", write, "writes/s");
  const balance = rate(count, () => {
    for (let i = 0; i < count; i++) state.getBalance((i & 1) === 0 ? address : other);
  });
  print("state: cached balance reads", balance, "reads/s");
}

function lists(print: Print): void {
  const items = Array.from({ length: 46 }, (_, i) => new Uint8Array(110).fill(i));
  const rounds = 1000;
  for (const format of ["new", "old"] as const) {
    const perSecond = rate(rounds, () => {
      for (let i = 0; i < rounds; i++) orderedListRoot(items, format);
    });
    print(`trie: root of a list of ${items.length} (${format} format)`, perSecond, "roots/s");
  }
}

/** Measures trie and state in memory: builds, blocks, reads, the working copy and list roots. */
export async function run(print: Print): Promise<void> {
  for (const count of [10_000, 1_000_000]) {
    const store = new MemoryStore();
    const cache = new NodeCache(5_000_000);
    const root = build(count, store, cache, print);
    blocks(count, store, cache, root, print);
    reads(count, store, root, print);
  }
  journal(print);
  lists(print);
}
