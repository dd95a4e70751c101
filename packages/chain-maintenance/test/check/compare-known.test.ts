import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type Chain, openChain } from "@cambium/chain";
import { type KnownBlock, knownBlocks, main, NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { fromHex, toData, toHex } from "@cambium/primitives";
import { chainFile } from "@cambium/test-utils/chain-files";
import { BlockHeader } from "@cambium/types";
import { compareKnownBlocks, importFiles } from "../../src/index.js";

const network = NETWORKS.local;

describe("comparison with known blocks", () => {
  let database: MemoryDatabase;
  let chain: Chain;
  let known: KnownBlock[];

  before(async () => {
    database = new MemoryDatabase();
    chain = await openChain({ network, database });
    await importFiles(chain, [chainFile("contracts")]);
    known = [0, 1, chain.best().header.number].map((number) => {
      const { hash, stateRoot } = chain.headerByNumber(number)!;
      return { number, hash, stateRoot, totalDifficulty: chain.totalDifficulty(hash)! };
    });
  });

  it("finds no difference to the own blocks", () => {
    assert.deepEqual(compareKnownBlocks(database, network, known), { compared: 3, skipped: 0, differences: [] });
  });

  it("skips what is above the best block", () => {
    const above = { number: chain.best().header.number + 1, hash: new Uint8Array(32) };
    assert.deepEqual(compareKnownBlocks(database, network, [...known, above]), {
      compared: 3,
      skipped: 1,
      differences: [],
    });
  });

  it("reports each value that differs, and compares those only that are known", () => {
    const [genesis, first, best] = known as [KnownBlock, KnownBlock, KnownBlock];
    const other = new Uint8Array(32).fill(7);
    const changed = [
      { number: genesis.number, hash: genesis.hash! },
      { ...first, hash: other, totalDifficulty: 5n },
      { number: best.number, stateRoot: other },
    ];
    assert.deepEqual(compareKnownBlocks(database, network, changed), {
      compared: 3,
      skipped: 0,
      differences: [
        { number: 1, what: "hash", expected: toData(other), found: toData(first.hash!) },
        { number: 1, what: "total difficulty", expected: "5", found: String(first.totalDifficulty) },
        { number: best.number, what: "state root", expected: toData(other), found: toData(best.stateRoot!) },
      ],
    });
  });
});

describe("the known blocks of main", () => {
  it("are in ascending order, and contain its genesis block", async () => {
    const blocks = knownBlocks(main);
    const numbers = blocks.map(({ number }) => number);
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
    );
    const database = new MemoryDatabase();
    await openChain({ network: main, database });
    assert.deepEqual(compareKnownBlocks(database, main, blocks), {
      compared: 1,
      skipped: blocks.length - 1,
      differences: [],
    });
    assert.deepEqual(knownBlocks(network), []);
  });

  it("agree with the recorded headers", () => {
    const read = (file: string): { chainId?: number; number: number; hash: string; header: string }[] =>
      JSON.parse(readFileSync(new URL(`../../../../test/vectors/merged-mining/${file}.json`, import.meta.url), "utf8"))
        .blocks;
    const recorded = [...read("mainnet-headers-contiguous"), ...read("single-headers")].filter(
      ({ chainId = 30 }) => chainId === 30,
    );
    const compared = knownBlocks(main).filter(({ number, hash, stateRoot }) => {
      const block = recorded.find((one) => one.number === number);
      if (block === undefined) return false;
      assert.equal(toHex(hash!), block.hash);
      assert.equal(toHex(stateRoot!), toHex(BlockHeader.decode(fromHex(block.header), main).stateRoot));
      return true;
    });
    assert.equal(compared.length, 5);
  });
});
