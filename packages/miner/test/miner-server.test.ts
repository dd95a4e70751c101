import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { localBlock } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import {
  canonicalParentHeader,
  merkleBranch,
  proofOfWorkTarget,
  sha256d,
  TAG,
  taggedCoinbase,
  transactionId,
} from "@cambium/merged-mining";
import { concatBytes, fromHex, reverseBytes, toHex } from "@cambium/primitives";
import { vectorPath } from "@cambium/test-utils/vectors";
import { BlockHeader } from "@cambium/types";
import {
  type BlockTemplate,
  MinerError,
  MinerServer,
  type SubmittedBlock,
  searchNonce,
  solutionOfPartialMerkle,
  solvedBlock,
  TimeAdjustment,
} from "../src/index.js";
import type { Work } from "../src/interface.js";
import type { MinerServerOptions, MinerServerParts } from "../src/server/miner-server.js";
import { ethSolution, ethWorkOf } from "../src/solutions/eth-work.js";
import { solutionOfTransactions } from "../src/solutions/submission.js";
import { bench, codeOf, ManualTimers, NOW, signed, solve, withoutLists } from "./support.js";

async function served(options: MinerServerOptions = {}, parts: Partial<MinerServerParts> = {}) {
  const made = await bench();
  const timers = new ManualTimers();
  const errors: unknown[] = [];
  const onBuildError = (error: unknown) => void errors.push(error);
  const server = new MinerServer(
    { chain: made.chain, builder: made.builder, timers, now: () => NOW * 1000, onBuildError, ...parts },
    options,
  );
  return { ...made, timers, errors, server };
}

interface ParentBlock {
  header: Uint8Array;
  coinbase: Uint8Array;
  /** Transaction ids in internal order, the coinbase first. */
  ids: Uint8Array[];
  transactions: Uint8Array[];
}

/** A solved parent block with a number of other transactions. */
async function parentBlock({ hashForMergedMining, target }: Work, others = 4, own?: Uint8Array): Promise<ParentBlock> {
  const coinbase = own ?? taggedCoinbase(hashForMergedMining);
  const transactions = [
    coinbase,
    ...Array.from({ length: others }, (_, i) => taggedCoinbase(new Uint8Array(32).fill(i))),
  ];
  const ids = transactions.map(transactionId);
  const unsolved = canonicalParentHeader(merkleBranch(ids).root, NOW, 0);
  return { header: await searchNonce(unsolved, target), coinbase, ids, transactions };
}

function wholeBlock({ header, transactions }: Pick<ParentBlock, "header" | "transactions">): Uint8Array {
  return concatBytes(header, Uint8Array.of(transactions.length), ...transactions);
}

function withWitness(legacy: Uint8Array): Uint8Array {
  const witness = concatBytes(Uint8Array.of(1, 32), new Uint8Array(32));
  return concatBytes(legacy.subarray(0, 4), Uint8Array.of(0, 1), legacy.subarray(4, -4), witness, legacy.subarray(-4));
}

type Submit = (server: MinerServer, block: ParentBlock) => Promise<SubmittedBlock>;

const WAYS: Record<string, Submit> = {
  "whole block": (server, block) => server.submitBlock(wholeBlock(block)),
  "transaction ids": (server, { header, coinbase, ids }) =>
    server.submitTransactions({ header, coinbase, transactionIds: ids.map(reverseBytes) }),
  "partial merkle": (server, { header, coinbase, ids }) => {
    const merkleHashes = [ids[0]!, ...merkleBranch(ids).siblings];
    return server.submitPartialMerkle({ header, coinbase, merkleHashes, transactionCount: ids.length });
  },
};

describe("miner server", () => {
  it("serves no work before start or after stop", async () => {
    const { server, timers } = await served();
    assert.equal(await codeOf(() => server.getWork()), "NO_WORK");
    assert.equal(await codeOf(() => server.ethWork()), "NO_WORK");
    await server.start();
    await server.start();
    assert(server.isRunning);
    assert.equal(timers.count, 1);
    server.getWork();
    server.stop();
    server.stop();
    assert.equal(timers.count, 0);
    assert.equal(await codeOf(() => server.getWork()), "NO_WORK");
  });

  for (const [way, submit] of Object.entries(WAYS)) {
    it(`accepts solutions by ${way}`, async () => {
      const { server, chain, pool } = await served();
      pool.transactions = [signed("cow"), signed("cow1")];
      await server.start();
      for (const others of [0, 1, 2, 3, 6]) {
        const work = server.getWork();
        const submitted = await submit(server, await parentBlock(work, others));
        assert.equal(submitted.result.kind, "imported-best");
        assert.deepEqual(chain.best().hash, submitted.hash);
        assert.deepEqual(chain.best().header.parentHash, work.parentBlockHash);
        pool.settle(chain);
        await nextTurn();
        assert.deepEqual(server.getWork().parentBlockHash, submitted.hash);
      }
    });

    it(`accepts a coinbase with witness by ${way}`, async () => {
      const { server } = await served();
      await server.start();
      const block = await parentBlock(server.getWork());
      const coinbase = withWitness(block.coinbase);
      const transactions = [coinbase, ...block.transactions.slice(1)];
      assert.equal((await submit(server, { ...block, coinbase, transactions })).result.kind, "imported-best");
    });
  }

  for (const [way, submit] of Object.entries(WAYS)) {
    it(`proves with a partial tree before RSKIP-92 by ${way}`, async () => {
      const old = { rskip92: -1, rskip98: -1, rskip180: -1 };
      const chosen = { ...NETWORKS.local, ruleHeights: { ...NETWORKS.local.ruleHeights, ...old } };
      const { chain, builder } = await bench({ network: chosen });
      const server = new MinerServer({ chain, builder, timers: new ManualTimers() });
      await server.start();
      for (const others of [0, 1, 4, 7]) {
        const submitted = await submit(server, await parentBlock(server.getWork(), others));
        assert.equal(submitted.result.kind, "imported-best");
        await nextTurn();
      }
    });
  }

  it("imports a sibling for a second solution, and reports a duplicate as known", async () => {
    const { server } = await served();
    await server.start();
    const work = server.getWork();
    const first = await parentBlock(work, 0);
    const second = await parentBlock(work, 1);
    assert.equal((await server.submitBlock(wholeBlock(first))).result.kind, "imported-best");
    assert.equal((await server.submitBlock(wholeBlock(first))).result.kind, "already-known");
    assert.equal((await server.submitBlock(wholeBlock(second))).result.kind, "imported-side");
  });

  it("names the hash of unknown work", async () => {
    const { server } = await served();
    await server.start();
    const { target } = server.getWork();
    const unknown = { target, hashForMergedMining: new Uint8Array(32).fill(9) } as Work;
    await assert.rejects(server.submitBlock(wholeBlock(await parentBlock(unknown))), (error) => {
      assert(error instanceof MinerError && error.details.code === "UNKNOWN_WORK");
      assert.deepEqual(error.details.hashForMergedMining, unknown.hashForMergedMining);
      return true;
    });
    const untagged = fromHex(toHex(taggedCoinbase(new Uint8Array(32))).replace(toHex(TAG), "00".repeat(9)));
    assert.equal(
      await codeOf(async () => server.submitBlock(wholeBlock(await parentBlock(unknown, 1, untagged)))),
      "UNKNOWN_WORK",
    );
  });

  it("rejects invalid proofs", async () => {
    const { server } = await served();
    await server.start();
    const work = server.getWork();
    const block = await parentBlock(work);
    const submission = { header: block.header, coinbase: block.coinbase };
    const wrongIds = block.ids.slice(0, -1).map(reverseBytes);
    assert.equal(
      await codeOf(() => server.submitTransactions({ ...submission, transactionIds: wrongIds })),
      "INVALID_PROOF",
    );
    const hard = block.header.slice();
    const view = new DataView(hard.buffer);
    while (BigInt(`0x${toHex(reverseBytes(sha256d(hard)))}`) <= work.target) view.setUint32(76, view.getUint32(76) + 1);
    await assert.rejects(
      server.submitTransactions({ ...submission, header: hard, transactionIds: block.ids.map(reverseBytes) }),
      (error) => {
        assert(error instanceof MinerError && error.details.code === "INVALID_PROOF");
        assert.equal(error.details.number, 1);
        assert.deepEqual(error.details.hashForMergedMining, work.hashForMergedMining);
        return true;
      },
    );
  });

  it("rejects malformed bytes", async () => {
    const { server } = await served();
    await server.start();
    const { header, coinbase, ids } = await parentBlock(server.getWork());
    const transactionIds = ids.map(reverseBytes);
    const codes = [
      () => server.submitBlock(header),
      () => server.submitBlock(concatBytes(header, Uint8Array.of(0))),
      () => server.submitBlock(concatBytes(header, Uint8Array.of(1), coinbase, Uint8Array.of(0))),
      () => server.submitTransactions({ header: header.subarray(1), coinbase, transactionIds }),
      () => server.submitTransactions({ header, coinbase: coinbase.subarray(1), transactionIds }),
      () => server.submitTransactions({ header, coinbase, transactionIds: [] }),
      () => server.submitTransactions({ header, coinbase, transactionIds: [new Uint8Array(31)] }),
      () => server.submitPartialMerkle({ header, coinbase, merkleHashes: [new Uint8Array(0)], transactionCount: 1 }),
    ].map(codeOf);
    assert.deepEqual(await Promise.all(codes), new Array(8).fill("MALFORMED"));
    const empty = { header, coinbase, merkleHashes: [], transactionCount: 1 };
    assert.equal(await codeOf(() => server.submitPartialMerkle(empty)), "MERKLE_HASHES_EMPTY");
  });

  it("accepts a header with trailing bytes", async () => {
    const { server } = await served();
    await server.start();
    const block = await parentBlock(server.getWork());
    const header = wholeBlock(block);
    assert.equal((await WAYS["transaction ids"]!(server, { ...block, header })).result.kind, "imported-best");
  });

  it("reports that the chain rejected the block", async () => {
    const { server, chain } = await served();
    await server.start();
    const block = await parentBlock(server.getWork());
    const original = chain.import.bind(chain);
    chain.import = ({ bytes, source }) => original({ bytes: new Uint8Array(bytes.length), source });
    assert.equal((await server.submitBlock(wholeBlock(block))).result.kind, "invalid");
  });

  it("limits the rate of solutions, including failed ones", async () => {
    let now = NOW * 1000;
    const { server } = await served({ submissionInterval: 100 }, { now: () => now });
    await server.start();
    const good = wholeBlock(await parentBlock(server.getWork()));
    const unknown = wholeBlock(await parentBlock({ ...server.getWork(), hashForMergedMining: new Uint8Array(32) }));
    assert.equal(await codeOf(() => server.submitBlock(unknown)), "UNKNOWN_WORK");
    now += 99;
    assert.equal(await codeOf(() => server.submitBlock(good)), "RATE_LIMITED");
    now += 1;
    assert.equal(await codeOf(() => server.submitBlock(good)), undefined);
  });

  it("limits the rate on the test network by default", async () => {
    const { chain, builder } = await bench({ network: { ...NETWORKS.local, chainId: 31 } });
    const server = new MinerServer({ chain, builder, timers: new ManualTimers(), now: () => NOW * 1000 });
    await server.start();
    const unknown = wholeBlock(await parentBlock({ ...server.getWork(), hashForMergedMining: new Uint8Array(32) }));
    assert.equal(await codeOf(() => server.submitBlock(unknown)), "UNKNOWN_WORK");
    assert.equal(await codeOf(() => server.submitBlock(unknown)), "RATE_LIMITED");
  });

  it("builds on the timer, and on imported blocks unless the node is syncing", async () => {
    let isSyncing = false;
    const { server, mine, timers, chain } = await served({}, { isSyncing: () => isSyncing });
    await server.start();
    const first = server.getWork();
    assert.equal(first.notify, true);
    assert.equal(server.getWork().notify, false);
    timers.run("repeated");
    await nextTurn();
    assert.equal(server.getWork().notify, false);
    await mine();
    await nextTurn();
    const second = server.getWork();
    assert.deepEqual(second.parentBlockHash, chain.best().hash);
    assert.equal(second.notify, true);
    isSyncing = true;
    await mine();
    await nextTurn();
    assert.deepEqual(server.getWork().parentBlockHash, second.parentBlockHash);
    timers.run("repeated");
    await nextTurn();
    assert.deepEqual(server.getWork().parentBlockHash, chain.best().hash);
  });

  it("builds once for new transactions after a delay, and serves the template only if it pays", async () => {
    const { server, pool, timers } = await served();
    await server.start();
    pool.transactions = [signed("cow", { gasPrice: 100n })];
    server.transactionsChanged();
    server.transactionsChanged();
    assert.equal(timers.count, 2);
    assert.equal(server.getWork().feesPaidToMiner, 0n);
    timers.run("once");
    await nextTurn();
    const better = server.getWork();
    assert.equal(better.feesPaidToMiner, 2_100_000n);
    assert.equal(better.notify, true);
    pool.transactions.push(signed("cow1", { gasPrice: 5n }));
    server.transactionsChanged();
    timers.run("once");
    await nextTurn();
    assert.deepEqual(server.getWork().hashForMergedMining, better.hashForMergedMining);
    pool.transactions.push(signed("cow2", { gasPrice: 50n }));
    server.transactionsChanged();
    timers.run("once");
    await nextTurn();
    assert.equal(server.getWork().feesPaidToMiner, 21_000n * 155n);
  });

  it("builds for a side-chain block that it can cite", async () => {
    const { server, timers, chain, builder } = await served();
    const [best, side] = await Promise.all([0, 1].map((adjustment) => solve(builder.build({ adjustment }))));
    await chain.import(localBlock(best!));
    await server.start();
    await chain.import(localBlock(side!));
    assert.equal(timers.count, 2);
    timers.run("once");
    await nextTurn();
    const { hashForMergedMining } = server.getWork();
    await server.submitBlock(wholeBlock(await parentBlock(server.getWork())));
    assert.equal(chain.best().header.uncleCount, 1);
    assert.deepEqual(chain.best().header.hashForMergedMining, hashForMergedMining);
  });

  it("prefers transactions that pay nothing to an empty block", async () => {
    const { server, pool, timers } = await served();
    await server.start();
    const before = server.getWork();
    pool.transactions = [signed("cow", { gasPrice: 0n })];
    server.transactionsChanged();
    timers.run("once");
    await nextTurn();
    assert.notDeepEqual(server.getWork().hashForMergedMining, before.hashForMergedMining);
  });

  it("builds on request only, once for all requests until the chain or the pool changes", async () => {
    const { server, chain, pool, timers, builder } = await served({ onRequest: true });
    const build = builder.build.bind(builder);
    let built = 0;
    builder.build = (request) => {
      built++;
      return build(request);
    };
    const work = async () => {
      await Promise.all([server.upToDate(), server.upToDate()]);
      return server.getWork();
    };
    await server.start();
    assert.equal(built, 0);
    const first = await work();
    assert.deepEqual([built, (await work()).hashForMergedMining], [1, first.hashForMergedMining]);
    pool.transactions = [signed("cow", { gasPrice: 155n })];
    server.transactionsChanged();
    await nextTurn();
    assert.deepEqual([built, (await work()).feesPaidToMiner], [1, 21_000n * 155n]);
    await server.submitBlock(wholeBlock(await parentBlock(server.getWork())));
    await nextTurn();
    assert.equal(built, 2);
    assert.deepEqual((await work()).parentBlockHash, chain.best().hash);
    timers.run("repeated");
    await nextTurn();
    assert.equal(built, 3);
    await work();
    assert.equal(built, 4);
    server.stop();
    await server.upToDate();
    assert.deepEqual([built, await codeOf(() => server.getWork())], [4, "NO_WORK"]);
  });

  for (const onRequest of [true, false]) {
    it(`calls listeners with new work as it is served, ${onRequest ? "although" : "if not"} built on request`, async () => {
      const { server, chain, pool, timers } = await served({ onRequest });
      await server.start();
      const seen: Work[] = [];
      const end = server.onWork((work) => seen.push(work));
      await server.start();
      await nextTurn();
      const before = seen.length;
      assert.equal(before, onRequest ? 1 : 0);
      await server.submitBlock(wholeBlock(await parentBlock(server.getWork())));
      await server.upToDate();
      assert.deepEqual(seen.at(-1)?.parentBlockHash, chain.best().hash);
      // A call of listeners does not clear `notify` for requests.
      assert.deepEqual([seen.at(-1)?.notify, server.getWork().notify], [true, true]);
      pool.transactions = [signed("cow", { gasPrice: 155n })];
      server.transactionsChanged();
      timers.run("once");
      await nextTurn();
      assert.deepEqual([seen.length, seen.at(-1)?.feesPaidToMiner], [before + 2, 21_000n * 155n]);
      end();
      timers.run("repeated");
      await nextTurn();
      assert.equal(seen.length, before + 2);
      server.stop();
    });
  }

  it("imports the solution of the latest template built on request without executing it again", async () => {
    for (const onRequest of [true, false]) {
      const { server, chain } = await served({ onRequest });
      const known: boolean[] = [];
      const original = chain.import.bind(chain);
      chain.import = (input) => {
        known.push(input.execution !== undefined);
        return original(input);
      };
      await server.start();
      for (let i = 0; i < 2; i++) {
        await server.upToDate();
        const { result } = await server.submitBlock(wholeBlock(await parentBlock(server.getWork())));
        assert.equal(result.kind, "imported-best");
      }
      assert.deepEqual(known, [onRequest, onRequest]);
      server.stop();
    }
  });

  it("builds again on the next request if a build on request fails", async () => {
    const { server, errors, builder } = await served({ onRequest: true });
    await server.start();
    const build = builder.build.bind(builder);
    builder.build = () => {
      throw new Error("no");
    };
    await server.upToDate();
    assert.equal(await codeOf(() => server.getWork()), "NO_WORK");
    assert.equal(errors.length, 1);
    builder.build = build;
    await server.upToDate();
    server.getWork();
  });

  it("keeps its work if a build fails", async () => {
    const { server, timers, errors, builder } = await served();
    await server.start();
    const work = server.getWork();
    builder.build = () => {
      throw new Error("no");
    };
    timers.run("repeated");
    await nextTurn();
    assert.equal(errors.length, 1);
    assert.deepEqual(server.getWork().hashForMergedMining, work.hashForMergedMining);
  });

  it("follows a reorganisation", async () => {
    const { server, chain, builder, mine } = await served();
    await server.start();
    await mine();
    await mine();
    let parentHash = chain.genesis.hash;
    for (let i = 0; i < 3; i++) {
      const block = await solve(builder.build({ parentHash, adjustment: 100 }));
      await chain.import(localBlock(block));
      parentHash = block.hash;
    }
    await nextTurn();
    assert.deepEqual(chain.best().hash, parentHash);
    assert.deepEqual(server.getWork().parentBlockHash, parentHash);
  });

  it("shifts the clock of one block", async () => {
    const adjustment = new TimeAdjustment();
    const { server, chain, timers } = await served({}, { adjustment });
    await server.start();
    assert.equal(adjustment.increase(500), 500);
    assert.equal(adjustment.increase(0), 500);
    assert.equal(adjustment.increase(-3), 500);
    timers.run("repeated");
    await nextTurn();
    await server.submitBlock(wholeBlock(await parentBlock(server.getWork())));
    assert.equal(chain.best().header.timestamp, BigInt(NOW + 500));
    assert.equal(adjustment.total, 0);
  });

  it("reports hash rates", async () => {
    const { server, mine } = await served();
    assert.equal(server.hashrate(), 0n);
    await mine();
    assert.equal(server.netHashrate(), 0n);
    server.submitHashrate(12n, new Uint8Array(32));
    assert.equal(server.hashrate(), 12n);
  });
});

describe("eth_getWork and eth_submitWork", () => {
  // the template of `spec/03 §9`
  const hashForMergedMining = fromHex("3fe5644eb4c77451138af0f6ddb92d3320b46685a1b2c3d4e5f60700000003e8");
  const template = { hashForMergedMining, target: proofOfWorkTarget(1n) } as BlockTemplate;
  const nonce = fromHex("5f35c01f00000002");
  const digest = fromHex("1fb5272d679d190b0e9d66670b207d9d5c5da866e43d8e1ffce7781a8423e872");

  it("map to a parent block that contains only a coinbase", () => {
    const work = ethWorkOf(template);
    assert.deepEqual(work.headerHash, hashForMergedMining);
    assert.equal(toHex(work.merkleRoot), "3a48e866b214a3b0aecf24f4c80aff5c0414bbeca6499d58a0250fa695fab530");
    assert.equal(work.target.toString(16), "5".repeat(64));
    const solution = ethSolution(nonce, hashForMergedMining, digest)!;
    assert.equal(
      toHex(solution.header),
      "0000002000000000000000000000000000000000000000000000000000000000000000003a48e866b214a3b0aecf24f4c80aff5c0414bbeca6499d58a0250fa695fab5301fc0355fffff7f2002000000",
    );
    assert.equal(solution.proof("compact").length, 0);
    assert.deepEqual(solution.key, hashForMergedMining);
    const solved = solvedBlock(workedTemplate(), solution, withoutLists);
    assert.equal(toHex(solved.hash), "75d0b5b4c85bdeacdb457ac882cafb9c212aff4f7d7df672f59546e72958a754");
  });

  it("require the right sizes, and the digest of the header", async () => {
    assert.equal(ethSolution(nonce, hashForMergedMining, new Uint8Array(32)), undefined);
    assert.equal(await codeOf(() => ethSolution(nonce.subarray(1), hashForMergedMining, digest)), "MALFORMED");
    assert.equal(await codeOf(() => ethSolution(nonce, hashForMergedMining.subarray(1), digest)), "MALFORMED");
    assert.equal(await codeOf(() => ethSolution(nonce, hashForMergedMining, digest.subarray(1))), "MALFORMED");
  });

  it("mine a block", async () => {
    const { server, chain } = await served();
    await server.start();
    const { headerHash, merkleRoot, target } = server.ethWork();
    assert.equal(server.getWork().notify, true);
    const header = await searchNonce(canonicalParentHeader(merkleRoot, NOW, 0), target);
    const found = new DataView(header.buffer).getUint32(76, true);
    const own = new Uint8Array(8);
    new DataView(own.buffer).setUint32(0, NOW);
    new DataView(own.buffer).setUint32(4, found);
    const mixDigest = reverseBytes(sha256d(header));
    assert.equal(await server.ethSubmit(own, new Uint8Array(32), mixDigest), false);
    assert.equal(await server.ethSubmit(own, headerHash, new Uint8Array(32)), false);
    assert.equal(await server.ethSubmit(own, headerHash, mixDigest), true);
    assert.equal(chain.best().header.number, 1);
    assert.equal(await server.ethSubmit(own, headerHash, mixDigest), false);
  });

  it("reject an unsolved header", async () => {
    const { server } = await served();
    await server.start();
    const { headerHash, merkleRoot, target } = server.ethWork();
    for (let n = 0; ; n++) {
      const digestOf = reverseBytes(sha256d(canonicalParentHeader(merkleRoot, 0, n)));
      if (BigInt(`0x${toHex(digestOf)}`) <= target) continue;
      const own = new Uint8Array(8);
      new DataView(own.buffer).setUint32(4, n);
      assert.equal(await server.ethSubmit(own, headerHash, digestOf), false);
      return;
    }
  });
});

describe("the worked example's solutions", () => {
  const example = JSON.parse(readFileSync(vectorPath("merged-mining", "worked-example.json"), "utf8"));
  const header = fromHex(example.parentChainHeader);
  const coinbase = fromHex(example.coinbaseTx);
  const ids: Uint8Array[] = example.txIdsInternal.map(fromHex);
  const branch: Uint8Array[] = [ids[0]!, ...example.branchInternal.map(fromHex)];

  for (const [way, solution] of [
    ["transaction ids", solutionOfTransactions({ header, coinbase, transactionIds: ids.map(reverseBytes) })],
    ["partial merkle", solutionOfPartialMerkle({ header, coinbase, merkleHashes: branch, transactionCount: 5 })],
  ] as const) {
    it(`make the block by ${way}`, () => {
      assert.equal(toHex(solution.compressedCoinbase), example.compressedCoinbase);
      assert.equal(toHex(solution.proof("compact")), example.compactProof);
      assert.equal(toHex(solution.proof("partial")), example.partialMerkleTree);
      const block = solvedBlock(workedTemplate(), solution, withoutLists);
      assert.equal(toHex(block.hash), example.blockHash);
      assert.equal(toHex(block.header.encode("full")), example.fullHeaderRlp);
    });
  }
});

function workedTemplate(): BlockTemplate {
  const header = BlockHeader.create(workedExample(), withoutLists, fromHex("a1b2c3d4e5f60700000003e8"));
  const { hashForMergedMining } = header;
  return { header, transactions: [], uncles: [], hashForMergedMining, target: proofOfWorkTarget(1n) };
}

/** Header fields of `spec/03 §9`. */
function workedExample() {
  const zero = new Uint8Array(32);
  return {
    parentHash: zero.slice().fill(0x11),
    unclesHash: fromHex("1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"),
    coinbase: fromHex("ec4ddeb4380ad69b3e509baad9f158cdf4e4681d"),
    stateRoot: zero.slice().fill(0x22),
    transactionsRoot: zero.slice().fill(0x33),
    receiptsRoot: zero.slice().fill(0x44),
    logsBloom: new Uint8Array(256),
    difficulty: 1n,
    number: 1000,
    gasLimit: fromHex("67c280"),
    gasUsed: 0,
    timestamp: 0x5f35c01fn,
    extraData: fromHex("ce018c44454d4f2d30313233343536"),
    paidFees: 0n,
    minimumGasPrice: 0n,
    uncleCount: 0,
    ummRoot: new Uint8Array(0),
    version: 0 as const,
    executionEdges: null,
    baseEvent: null,
    parentChainHeader: null,
    merkleProof: null,
    parentChainCoinbase: null,
  };
}
