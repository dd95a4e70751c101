import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { encodeRlp, numberToBytes, toHex } from "@cambium/primitives";
import { withFolder } from "@cambium/test-utils/node-cli";
import { BestChain } from "../src/rskj-blocks/best-chain.js";

const EMPTY = new Uint8Array(0);
const RUNNING = new AbortController().signal;

interface Stored {
  hash: Uint8Array;
  rlp: Uint8Array;
}

/** Returns a block with just enough of a header to show its place. */
function block(number: number, parent: Uint8Array, salt = 0): Stored {
  const header = [parent, ...Array<Uint8Array>(7).fill(numberToBytes(salt)), numberToBytes(number)];
  const rlp = encodeRlp([header, [], []]);
  return { hash: new Uint8Array(createHash("sha256").update(rlp).digest()), rlp };
}

/** Blocks 0 to `height`. */
function branch(height: number): Stored[] {
  const blocks = [block(0, new Uint8Array(32))];
  while (blocks.length <= height) blocks.push(block(blocks.length, blocks.at(-1)!.hash));
  return blocks;
}

function storeOf(blocks: readonly Stored[], onRead: (index: number) => void = () => undefined) {
  return {
    async *all() {
      for (const [index, { hash, rlp }] of blocks.entries()) {
        onRead(index);
        yield { place: { hash, size: rlp.length, position: hash.subarray(0, 3) }, rlp };
      }
    },
  };
}

function withOrder(use: (order: BestChain, folder: string) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    const order = await BestChain.open(join(folder, "order"));
    try {
      await use(order, folder);
    } finally {
      await order.close();
    }
  });
}

async function numbers(order: BestChain, first: number): Promise<number[]> {
  const found: number[] = [];
  for await (const { number } of order.blocks(first)) found.push(number);
  return found;
}

describe("the order of blocks of the deployed client", () => {
  const isGenesis = (number: number) => number === 0;
  const fill = (order: BestChain, blocks: readonly Stored[]) =>
    order.fill(storeOf(blocks), `${blocks.length}`, RUNNING, () => undefined);

  it("is that of the longest branch, without blocks of others", async () => {
    await withOrder(async (order) => {
      const main = branch(300);
      const sides = main.slice(0, 299).map(({ hash }, number) => block(number + 1, hash, 1));
      await fill(
        order,
        [...sides, ...main].toSorted((a, b) => Buffer.compare(a.hash, b.hash)),
      );
      const bytes = main.slice(1).reduce((sum, { rlp }) => sum + rlp.length, 0);
      assert.deepEqual(await order.remaining(isGenesis, RUNNING), { first: 1, last: 300, bytes, missing: undefined });
      const places: [number, string, string][] = [];
      for await (const { place } of order.blocks(1)) {
        places.push([place.size, toHex(place.hash), toHex(place.position)]);
      }
      const expected = main.slice(1).map(({ hash, rlp }) => [rlp.length, toHex(hash), toHex(hash.subarray(0, 3))]);
      assert.deepEqual(places, expected);
    });
  });

  it("begins after the highest block that is known", async () => {
    await withOrder(async (order) => {
      await fill(order, branch(20));
      const part = async (known: number) => {
        const { first, last, missing } = (await order.remaining((number) => number <= known, RUNNING))!;
        assert.equal(missing, undefined);
        return [first, last];
      };
      assert.deepEqual(await part(12), [13, 20]);
      assert.deepEqual(await part(20), [21, 20]);
      assert.deepEqual(await numbers(order, 18), [18, 19, 20]);
      assert.deepEqual(await numbers(order, 21), []);
    });
  });

  it("names a missing parent, also if the chain has other blocks at its height", async () => {
    const main = branch(10);
    const without = main.filter((_, number) => number !== 6);
    const damaged = { hash: main[6]!.hash, rlp: main[6]!.rlp.subarray(0, 40) };
    const foreign = { hash: main[6]!.hash, rlp: main[4]!.rlp };
    for (const more of [[], [block(6, main[5]!.hash, 1)], [damaged], [foreign], [{ hash: EMPTY, rlp: EMPTY }]]) {
      await withOrder(async (order) => {
        await fill(order, [...without, ...more]);
        const { first, missing } = (await order.remaining(isGenesis, RUNNING))!;
        assert.deepEqual([first, toHex(missing!)], [7, toHex(main[6]!.hash)]);
      });
    }
    await withOrder(async (order) => {
      await fill(order, main);
      const { first, missing } = (await order.remaining(() => false, RUNNING))!;
      assert.deepEqual([first, toHex(missing!)], [0, "00".repeat(32)]);
      await fill(order, []);
      assert.equal(await order.remaining(isGenesis, RUNNING), undefined);
    });
  });

  it("is read again only if the store has changed or reading it was interrupted", async () => {
    await withOrder(async (order) => {
      const blocks = branch(10);
      let reads = 0;
      const interruption = new AbortController();
      const interrupted = storeOf(blocks, (index) => index === 5 && interruption.abort(new Error("interrupted")));
      await assert.rejects(
        order.fill(interrupted, "10", interruption.signal, () => undefined),
        /^Error: interrupted$/,
      );
      const counting = (content: readonly Stored[]) => storeOf(content, (index) => index === 0 && reads++);
      for (const content of [blocks, blocks, branch(12)])
        await order.fill(counting(content), `${content.length}`, RUNNING, () => undefined);
      assert.equal(reads, 2);
      assert.equal((await order.remaining(isGenesis, RUNNING))!.last, 12);
    });
  });
});
