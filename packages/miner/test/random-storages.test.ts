import assert from "node:assert/strict";
import { type Chain, localBlock, openChain } from "@cambium/chain";
import { checkDatabase } from "@cambium/chain-maintenance";
import type { StateLayout } from "@cambium/chain-store";
import { MemoryDatabase } from "@cambium/database";
import { toHex } from "@cambium/primitives";
import { CELLS, contractAt, type StorageEdit, StorageMine } from "@cambium/test-utils/chains/destroyed-storages";
import { NOW, network } from "@cambium/test-utils/mined-chains";
import { fc, runs } from "@cambium/test-utils/properties";
import type { Block } from "@cambium/types";

const CONTRACTS = [1, 2, 3];
const FLAT_STATE = { minHistory: 15, history: 15, maxBlocks: 4, maxChanges: 120 };

const edit: fc.Arbitrary<StorageEdit> = fc.record({
  kind: fc.constantFrom("create", "create", "write", "write", "destroy"),
  index: fc.constantFrom(...CONTRACTS),
  slot: fc.integer({ min: 1, max: CELLS + 2 }),
  value: fc.nat({ max: 2 }),
});
const step = fc.record({
  /** Number of blocks between the parent and the last block. */
  back: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.integer({ min: 1, max: 6 }) }),
  edits: fc.array(edit, { maxLength: 3 }),
  next: fc.oneof(
    { weight: 12, arbitrary: fc.constant("nothing" as const) },
    { weight: 1, arbitrary: fc.constantFrom("rewind" as const, "close" as const, "kill" as const) },
  ),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A chain in one layout, which can be opened again. */
class Node {
  private readonly database = new MemoryDatabase();
  chain!: Chain;

  private constructor(
    private readonly stateLayout: StateLayout,
    private readonly largeStorage: number | undefined,
  ) {}

  static async create(stateLayout: StateLayout, largeStorage?: number): Promise<Node> {
    const node = new Node(stateLayout, largeStorage);
    await node.open();
    return node;
  }

  async open(): Promise<void> {
    const { database, stateLayout, largeStorage } = this;
    const flatState = { ...FLAT_STATE, ...(largeStorage !== undefined && { largeStorage }) };
    this.chain = await openChain({ network, database, stateLayout, flatState, now: () => NOW });
  }

  async reopen(kind: "close" | "kill"): Promise<void> {
    if (kind === "close") await this.chain.close();
    await this.open();
  }

  /** The cells of all contracts after a block; undefined if that state cannot be read. */
  cells(hash: Uint8Array): string[] | undefined {
    const state = this.chain.stateAfter(hash);
    if (state === undefined) return undefined;
    return CONTRACTS.map((index) => {
      const address = contractAt(index);
      // Reads the storage twice: from the trie and from the values.
      const listed = Array.from(state.storageEntries(address), ({ key, value }) => `${toHex(key)}=${toHex(value)}`);
      const read = Array.from({ length: CELLS + 3 }, (_, i) => state.getStorage(address, BigInt(i)).toString(16));
      return `${state.isContract(address)} ${state.getCodeSize(address)} ${listed} ${read}`;
    });
  }

  async faults(): Promise<unknown> {
    return (await checkDatabase(this.database, network, { deep: true })).problems;
  }
}

async function run(steps: readonly Step[], largeStorage?: number): Promise<void> {
  const flat = await Node.create("flat", largeStorage);
  const archive = await Node.create("archive");
  const first = await new StorageMine(flat.chain).first();
  for (const { chain } of [flat, archive]) await chain.import(localBlock(first));
  let blocks = [first];
  let highest = 0;
  for (const { back, edits, next } of steps) {
    const parent = blocks[blocks.length - 1 - back]?.hash ?? first.hash;
    if (flat.chain.stateAfter(parent) === undefined) continue;
    const block = await new StorageMine(flat.chain).block(parent, edits);
    const result = await flat.chain.import(localBlock(block));
    // The archive layout computes the same root, which the header has.
    assert.deepEqual(await archive.chain.import(localBlock(block)), result);
    blocks.push(block);
    highest = Math.max(highest, flat.chain.best().header.number);
    if (next === "rewind") {
      const { number } = flat.chain.best().header;
      const target = flat.chain.hashByNumber(Math.max(1, number - 4))!;
      for (const { chain } of [flat, archive]) await chain.rewind(target);
      blocks = blocks.filter(({ hash }) => flat.chain.headerByHash(hash) !== undefined);
    } else if (next !== "nothing") await flat.reopen(next);
    compare(flat, archive, blocks.slice(-8), highest);
  }
  compare(flat, archive, blocks, highest);
  assert.deepEqual(await flat.faults(), []);
}

/** `highest` is the greatest number of a best block so far: a rewind does not restore the history below it. */
function compare(flat: Node, archive: Node, blocks: readonly Block[], highest: number): void {
  for (const { hash, number } of blocks) {
    const cells = flat.cells(hash);
    if (cells === undefined) assert(!flat.chain.isOnBestChain(hash) || number < highest - FLAT_STATE.history);
    else assert.deepEqual(cells, archive.cells(hash), `block ${number} of ${highest}`);
  }
}

describe("storages that are destroyed and created again on random branches", () => {
  for (const largeStorage of [undefined, Number.POSITIVE_INFINITY]) {
    const how = largeStorage === undefined ? "behind tombstones" : "cell by cell";
    it(`have the roots and cells of an archive, ${how}`, async () => {
      const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), (steps) =>
        run(steps, largeStorage),
      );
      await fc.assert(property, { numRuns: runs(6), endOnFailure: true });
    });
  }
});
