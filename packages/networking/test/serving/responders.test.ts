import assert from "node:assert/strict";
import type { Chain, ChainReader } from "@cambium/chain";
import { encodeRlp, keccak256, toHex, utf8 } from "@cambium/primitives";
import { Block } from "@cambium/types";
import { assembleBlock, checkBody } from "../../src/block-assembly.js";
import type { SnapshotStatus } from "../../src/index.js";
import { createResponders } from "../../src/libp2p/serving/responders.js";
import type { ServedSources } from "../../src/serving/served-sources.js";
import { ask } from "./ask.js";
import { recordedChain } from "./chains.js";

const UNKNOWN = keccak256(utf8("unknown"));

function sourcesOf(chain: ChainReader, own: Partial<ServedSources> = {}): ServedSources {
  return { chain, pooledTransaction: () => undefined, earliestBody: () => 0, ...own };
}

/** A chain of that length in which a block is its number. */
function longChain(best: number, lowest = 0): ChainReader {
  const hashOf = (number: number) => keccak256(utf8(`block ${number}`));
  const fake: Partial<ChainReader> = {
    best: () => ({ header: { number: best, gasLimitValue: 6_800_000n } }) as ReturnType<ChainReader["best"]>,
    hashByNumber: (number) => (number >= lowest && number <= best ? hashOf(number) : undefined),
    totalDifficulty: () => 1n << 100n,
  };
  return fake as ChainReader;
}

describe("skeletons", () => {
  async function skeleton(chain: ChainReader, start: number, count: number): Promise<number[] | undefined> {
    const [entries] = await ask(sourcesOf(chain), "skeleton", { start, count });
    return entries?.map(({ number }) => number);
  }

  it("are those of the specification", async () => {
    const steps = Array.from({ length: 21 }, (_, i) => 960 + 192 * i);
    assert.deepEqual(await skeleton(longChain(10_000), 1000, 21), steps);
    assert.deepEqual(await skeleton(longChain(1300), 1000, 21), [960, 1152, 1300]);
    assert.deepEqual(await skeleton(longChain(960), 960, 21), [960]);
  });

  it("have the requested number of entries, and begin at genesis", async () => {
    const all = await skeleton(longChain(1_000_000), 0, 64);
    assert.deepEqual([all?.length, all?.[0], all?.at(-1)], [64, 0, 63 * 192]);
    assert.deepEqual(await skeleton(longChain(1_000_000), 191, 1), [0]);
    assert.deepEqual(await skeleton(longChain(10), 10, 64), [0, 10]);
    assert.deepEqual(await skeleton(longChain(0), 0, 64), [0]);
  });

  it("are not available above the best block and below the lowest", async () => {
    assert.equal(await skeleton(longChain(1300), 1301, 64), undefined);
    assert.equal(await skeleton(longChain(10_000, 5000), 4992, 64), undefined);
    assert.equal((await skeleton(longChain(10_000, 4992), 5000, 64))?.length, 28);
  });
});

describe("answers from a recorded chain", () => {
  for (const name of ["uncles-and-reorgs", "parallel"]) {
    describe(name, () => {
      let chain: Chain;
      let sources: ServedSources;
      let blocks: Block[];

      before(async () => {
        chain = await recordedChain(name);
        sources = sourcesOf(chain);
        const best = chain.best().header.number;
        blocks = Array.from({ length: best + 1 }, (_, number) => chain.blockByNumber(number)!);
      });

      it("headers, descending to genesis", async () => {
        const headers = await ask(sources, "headers", { hash: chain.best().hash, count: 192 });
        assert.deepEqual(
          headers.map((header) => toHex(header!.hash)),
          [...blocks].reverse().map(({ hash }) => toHex(hash)),
        );
        const few = await ask(sources, "headers", { hash: blocks[5]!.hash, count: 3 });
        assert.deepEqual(
          few.map((header) => header!.number),
          [5, 4, 3],
        );
        assert.deepEqual(await ask(sources, "headers", { hash: UNKNOWN, count: 3 }), [undefined]);
      });

      it("bodies, which complete the stored blocks", async () => {
        for (let from = 0; from < blocks.length; from += 32) {
          const part = blocks.slice(from, from + 32);
          const headers = await ask(sources, "headers", { hash: part.at(-1)!.hash, count: part.length });
          const bodies = await ask(
            sources,
            "bodies",
            part.map(({ hash }) => hash),
          );
          for (const [i, body] of bodies.entries()) {
            const header = headers[part.length - 1 - i]!;
            checkBody(header, body!, chain.network);
            const encoded = assembleBlock(header, body!);
            assert.equal(header.version, header.number === 0 ? 0 : 2);
            assert.equal(body!.extension !== undefined, header.number > 0);
            assert.equal(toHex(encoded), toHex(chain.encodedBlock(header.hash)!));
            if (header.number === 0) continue;
            assert.equal(toHex(Block.decode(encoded, chain.network).hash), toHex(part[i]!.hash));
            checkBody(part[i]!.header, body!, chain.network);
          }
        }
        assert.deepEqual(
          (await ask(sources, "bodies", [UNKNOWN, blocks[1]!.hash, UNKNOWN])).map((body) => body !== undefined),
          [false, true, false],
        );
      });

      it("blocks", async () => {
        const asked = [...blocks.slice(0, 14).map(({ hash }) => hash), UNKNOWN, chain.best().hash];
        const answers = await ask(sources, "blocks", asked);
        assert.deepEqual(
          answers.map((encoded) => encoded && toHex(encoded)),
          asked.map((hash) => chain.encodedBlock(hash)).map((encoded) => encoded && toHex(encoded)),
        );
      });

      it("hashes by height", async () => {
        const best = chain.best().header.number;
        const [hashes] = await ask(sources, "hashes", [best, 0, best + 1, 3]);
        const expected = [blocks[best], blocks[0], undefined, blocks[3]].map((block) => block && toHex(block.hash));
        assert.deepEqual(
          hashes!.map((hash) => hash && toHex(hash)),
          expected,
        );
      });

      it("blocks below a height, with their total difficulties", async () => {
        const serving = { ...sources, snapshots: { status: () => undefined, chunk: () => undefined } };
        const below = await ask(serving, "snap-blocks", 10);
        assert.deepEqual(
          below.map((block) => [toHex(block!.encoded), block!.totalDifficulty]),
          blocks.slice(1, 10).map(({ hash }) => [toHex(chain.encodedBlock(hash)!), chain.totalDifficulty(hash)]),
        );
        const best = chain.best().header.number;
        assert.equal((await ask(serving, "snap-blocks", best)).length, best - 1);
        assert.deepEqual(await ask(serving, "snap-blocks", best + 1), [undefined]);
        assert.deepEqual(await ask(sources, "snap-blocks", 10), [undefined]);
      });
    });
  }
});

describe("other answers", () => {
  it("pooled transactions, one by one", async () => {
    const transaction = encodeRlp([Uint8Array.of(1), Uint8Array.of(2)]);
    const known = keccak256(transaction);
    const looked: string[] = [];
    const sources = sourcesOf(longChain(1), {
      pooledTransaction: (hash) => {
        looked.push(toHex(hash));
        return toHex(hash) === toHex(known) ? transaction : undefined;
      },
    });
    assert.deepEqual(await ask(sources, "txs", [UNKNOWN, known]), [undefined, transaction]);
    looked.length = 0;
    const answers = createResponders(sources).txs([UNKNOWN, known], "peer") as Iterable<unknown>;
    for (const _first of answers) break;
    assert.deepEqual(looked, [toHex(UNKNOWN)]);
  });

  it("at most 400 blocks below a height, and no more than fit into one answer", async () => {
    let size = 100;
    const block = () => encodeRlp([[new Uint8Array(size)], [], []]);
    const chain = { ...longChain(5000), encodedBlock: block } as ChainReader;
    const sources = sourcesOf(chain, { snapshots: { status: () => undefined, chunk: () => undefined } });
    assert.equal((await ask(sources, "snap-blocks", 3000)).length, 400);
    assert.equal((await ask(sources, "snap-blocks", 401)).length, 400);
    assert.equal((await ask(sources, "snap-blocks", 400)).length, 399);
    size = 1 << 20;
    assert.equal((await ask(sources, "snap-blocks", 3000)).length, 63);
  });

  it("snapshots, if they are served", async () => {
    const encoded = encodeRlp([[], [], []]);
    const status: SnapshotStatus = { blocks: [{ encoded, totalDifficulty: 5n }], trieSize: 340 };
    const chunk = { from: 0, to: 51_200, complete: true, encoded: Uint8Array.of(1) };
    const sources = sourcesOf(longChain(9000), {
      snapshots: { status: () => status, chunk: (number, from) => (number === 5000 && from === 0 ? chunk : undefined) },
    });
    assert.deepEqual(await ask(sources, "snap-status", undefined), [status]);
    assert.deepEqual(await ask(sources, "snap-chunk", { blockNumber: 5000, from: 0 }), [
      { ...chunk, blockNumber: 5000 },
    ]);
    assert.deepEqual(await ask(sources, "snap-chunk", { blockNumber: 5001, from: 0 }), [undefined]);
    for (const name of ["snap-status", "snap-chunk"] as const) {
      const request = name === "snap-status" ? undefined : { blockNumber: 5000, from: 0 };
      assert.deepEqual(await ask(sourcesOf(longChain(9000)), name, request as never), [undefined]);
    }
  });

  it("a snapshot's status without the lowest blocks if they are too large for a frame", async () => {
    const blocks = Array.from({ length: 401 }, (_, i) => ({
      encoded: encodeRlp([[new Uint8Array(20_000)], [], []]),
      totalDifficulty: BigInt(i),
    }));
    const snapshots = { status: () => ({ blocks, trieSize: 1 }), chunk: () => undefined };
    const [status] = await ask(sourcesOf(longChain(9000), { snapshots }), "snap-status", undefined);
    assert.equal(status!.blocks.at(-1)!.totalDifficulty, 400n);
    assert.equal(status!.blocks.length, 209);
  });
});
