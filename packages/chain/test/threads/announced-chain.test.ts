import assert from "node:assert/strict";
import { bigintToFixedBytes } from "@cambium/primitives";
import { AnnouncedChain } from "../../src/threads/announced-chain.js";

/** Hash of a block by its number and the branch that it is on. */
const hash = (number: number, branch = 0) => bigintToFixedBytes(BigInt(branch * 1_000_000 + number), 32);

describe("best chain as announced", () => {
  let disk: Map<number, Uint8Array>;
  let chain: AnnouncedChain;

  beforeEach(() => {
    disk = new Map(Array.from({ length: 2001 }, (_, number) => [number, hash(number)]));
    chain = new AnnouncedChain(2000, hash(2000), (number) => disk.get(number));
  });

  it("does not show blocks that are written but not announced", () => {
    disk.set(2001, hash(2001));
    assert.equal(chain.at(2001), undefined);
    chain.follow({ kind: "newHead", hash: hash(2001), number: 2001 });
    assert.deepEqual(chain.at(2001), hash(2001));
    assert.deepEqual([chain.number, chain.hash], [2001, hash(2001)]);
  });

  it("keeps the old branch until the new one is announced", () => {
    const added = [1, 2, 3, 4].map((i) => hash(1998 + i, 1));
    for (const [index, one] of added.entries()) disk.set(1999 + index, one);
    assert.deepEqual(chain.at(1999), hash(1999));
    const reorganisation = { commonAncestor: hash(1998), removed: [hash(1999), hash(2000)], added };
    chain.follow({ kind: "reorg", hash: added[3]!, number: 2002, reorganisation });
    for (const [index, one] of added.entries()) assert.deepEqual(chain.at(1999 + index), one);
    assert.deepEqual(chain.at(1998), hash(1998));
    assert.equal(chain.at(2003), undefined);
  });

  it("ends at the block it is rewound to, and continues from there", () => {
    const removed = Array.from({ length: 1990 }, (_, i) => hash(11 + i));
    chain.follow({
      kind: "reorg",
      hash: hash(10),
      number: 10,
      reorganisation: { commonAncestor: hash(10), removed, added: [] },
    });
    assert.deepEqual([chain.at(10), chain.at(11), chain.at(3)], [hash(10), undefined, hash(3)]);
    chain.follow({ kind: "newHead", hash: hash(11, 2), number: 11 });
    assert.deepEqual([chain.at(11), chain.at(12)], [hash(11, 2), undefined]);
  });

  it("ignores side blocks, and reads old hashes from the database", () => {
    chain.follow({ kind: "sideBlock", hash: hash(2001, 3), number: 2001 });
    assert.equal(chain.number, 2000);
    assert.equal(chain.at(2001), undefined);
    assert.deepEqual(chain.at(5), hash(5));
    assert.equal(chain.at(-1), undefined);
  });
});
