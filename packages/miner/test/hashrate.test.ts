import assert from "node:assert/strict";
import type { ChainReader } from "@cambium/chain";
import type { BlockHeader } from "@cambium/types";
import { chainHashrate } from "../src/index.js";
import { ReportedHashrates } from "../src/server/hashrate.js";

const NOW = 100_000;

interface Made {
  own: boolean;
  age: number;
  difficulty?: bigint;
  uncles?: bigint[];
}

/** A chain of blocks from genesis up. */
function chainOf(blocks: readonly Made[]): ChainReader {
  const headers = blocks.map(({ own, age, difficulty = 3600n }, number) => ({
    number,
    timestamp: BigInt(NOW - age),
    difficultyValue: difficulty,
    coinbase: Uint8Array.of(own ? 1 : 0),
  })) as unknown as BlockHeader[];
  const branch = {
    header: (number: number) => headers[number],
    uncles: (number: number) => (blocks[number]?.uncles ?? []).map((difficultyValue) => ({ difficultyValue })),
  };
  const best = { header: headers.at(-1), hash: new Uint8Array(32), totalDifficulty: 0n };
  return { best: () => best, ancestors: () => branch } as unknown as ChainReader;
}

const all = () => true;
const own = ({ coinbase }: BlockHeader) => coinbase[0] === 1;

describe("hash rate of the chain", () => {
  it("is estimated from the last hour's blocks, all or own", () => {
    const chain = chainOf([true, false, true, false].map((isOwn, i) => ({ own: isOwn, age: 100 - i })));
    assert.equal(chainHashrate(chain, NOW, all), 4n);
    assert.equal(chainHashrate(chain, NOW, own), 2n);
  });

  it("counts uncles and rounds down", () => {
    const chain = chainOf([{ own: true, age: 5, difficulty: 3599n, uncles: [3600n, 1n] }]);
    assert.equal(chainHashrate(chain, NOW, all), 2n);
  });

  it("includes both ends of the hour, and stops at the first block outside", () => {
    assert.equal(
      chainHashrate(
        chainOf([
          { own: true, age: 3600 },
          { own: true, age: 0 },
        ]),
        NOW,
        all,
      ),
      2n,
    );
    assert.equal(chainHashrate(chainOf([{ own: true, age: 3601 }]), NOW, all), 0n);
    assert.equal(
      chainHashrate(
        chainOf([
          { own: true, age: 1 },
          { own: true, age: 3601 },
          { own: true, age: 0 },
        ]),
        NOW,
        all,
      ),
      1n,
    );
    assert.equal(
      chainHashrate(
        chainOf([
          { own: true, age: 1 },
          { own: true, age: -1 },
        ]),
        NOW,
        all,
      ),
      0n,
    );
  });
});

describe("reported hash rates", () => {
  it("expire after ten seconds for each miner", () => {
    const reports = new ReportedHashrates();
    assert.equal(reports.total(0), undefined);
    reports.add(5n, Uint8Array.of(1), 0);
    reports.add(7n, Uint8Array.of(2), 5000);
    reports.add(6n, Uint8Array.of(1), 5000);
    assert.equal(reports.total(10_000), 13n);
    assert.equal(reports.total(15_001), undefined);
  });

  it("are bounded in number", () => {
    const reports = new ReportedHashrates();
    for (let i = 0; i < 3000; i++) reports.add(1n, Uint8Array.of(i >> 8, i), 0);
    assert.equal(reports.total(0), 1000n);
    reports.add(2n, Uint8Array.of(0, 0), 1);
    assert.equal(reports.total(1), 1001n);
  });
});
