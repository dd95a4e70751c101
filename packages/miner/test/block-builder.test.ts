import assert from "node:assert/strict";
import { createChainEvm, localBlock } from "@cambium/chain";
import { BRIDGE_ADDRESS, type NetworkConfig, rulesAt } from "@cambium/config";
import { contractAddress, contractAddress2, equalBytes, fromHex, keccak256, toHex } from "@cambium/primitives";
import { Transaction } from "@cambium/types";
import { BlockBuilder, type TransactionFault } from "../src/index.js";
import { addressOf, bench, codeOf, deploying, NOW, network, REWARD, signed, solve, withoutLists } from "./support.js";

const version1: NetworkConfig = { ...network, ruleHeights: { ...network.ruleHeights, rskip535: -1 } };

describe("block template", () => {
  it("without transactions contains only the reward transaction", async () => {
    const { chain, builder } = await bench();
    const { header, transactions, uncles, hashForMergedMining } = builder.build();
    assert.equal(header.number, 1);
    assert.equal(header.timestamp, BigInt(NOW));
    assert.deepEqual(header.parentHash, chain.genesis.hash);
    assert.deepEqual(header.coinbase, REWARD);
    assert.equal(transactions.length, 1);
    assert(transactions[0]!.isReward);
    assert.deepEqual(uncles, []);
    assert.deepEqual(hashForMergedMining, header.hashForMergedMining);
    assert.equal(header.gasLimitValue, 10_000_000n);
    assert.equal(header.hasMiningFields, false);
  });

  it("writes gas limits as signed numbers", async () => {
    const { builder } = await bench({ gasLimit: { target: 10_000_000n, force: true } });
    assert.equal(toHex(builder.build().header.gasLimit), "00989680");
  });

  for (const [version, chosen] of [
    [0, withoutLists],
    [1, version1],
    [2, network],
  ] as const) {
    it(`has a header of version ${version} at its heights`, async () => {
      const { builder, mine, pool } = await bench({ network: chosen });
      pool.transactions = [signed("cow"), signed("cow1")];
      const { header } = builder.build();
      assert.equal(header.version, version);
      assert.deepEqual(header.executionEdges, version === 0 ? null : [2]);
      assert.equal(header.baseEvent === null, version !== 2);
      await mine();
      await mine();
    });
  }

  it("spreads independent transactions over parallel lists", async () => {
    const { mine, pool } = await bench();
    pool.transactions = ["cow", "cow1", "cow2", "cow3"].map((name, i) =>
      signed(name, { to: new Uint8Array(20).fill(0x40 + i) }),
    );
    const { header, transactions } = await mine();
    assert.deepEqual(header.executionEdges, [2, 4]);
    assert.equal(transactions.length, 5);
  });

  it("keeps transactions to the same receiver together", async () => {
    const { mine, pool } = await bench();
    pool.transactions = ["cow", "cow1", "cow2"].map((name) => signed(name));
    const { header } = await mine();
    assert.deepEqual(header.executionEdges, [3]);
  });

  it("puts all bridge calls into the sequential list", async () => {
    const { mine, pool } = await bench();
    const toBridge = { to: BRIDGE_ADDRESS, gasLimit: 200_000n, value: 0n, data: fromHex("a25b94cb") };
    const relay = deploying(`5f5f5f5f5f73${toHex(BRIDGE_ADDRESS)}617530f15f5ffd`);
    pool.transactions = [
      signed("cow", toBridge),
      signed("cow1", { to: undefined, data: relay, gasLimit: 300_000n, value: 0n }),
    ];
    await mine();
    const relayAddress = contractAddress(addressOf("cow1"), 0n);
    pool.transactions = [
      signed("cow2", { to: relayAddress, gasLimit: 200_000n, value: 0n }),
      signed("cow3", { to: new Uint8Array(20).fill(0x55) }),
    ];
    const { header, transactions } = await mine();
    assert.deepEqual(header.executionEdges, [1]);
    assert(equalBytes(transactions[0]!.sender!, addressOf("cow3")));
  });

  it("credits fees before the reward transaction, and counts them", async () => {
    const { mine, pool } = await bench();
    pool.transactions = [signed("cow", { gasPrice: 3n }), signed("cow1", { gasPrice: 2n })];
    const { header } = await mine();
    assert.equal(header.paidFees, 21_000n * 5n);
    assert.equal(header.gasUsed, 42_000);
  });

  it("works without execution lists", async () => {
    const { mine, pool, chain } = await bench({ network: withoutLists });
    pool.transactions = [signed("cow"), signed("cow1"), signed("cow", { nonce: 1n })];
    const { header, hash } = await mine();
    assert.equal(header.paidFees, 63_000n);
    assert.deepEqual(
      chain.receipts(hash)!.map(({ cumulativeGas }) => cumulativeGas),
      [21_000, 42_000, 63_000, 63_000],
    );
  });

  it("evicts a transaction whose execution fails unexpectedly, and reports it", async () => {
    const { chain, pool } = await bench();
    const broken = signed("cow");
    const good = signed("cow1");
    pool.transactions = [broken, good];
    const evm = createChainEvm(network);
    const execute = evm.execute.bind(evm);
    evm.execute = (run) => {
      if (run.transaction === broken) throw new RangeError("out of bounds");
      return execute(run);
    };
    const faults: TransactionFault[] = [];
    const builder = new BlockBuilder(
      { chain, pool, evm, now: () => NOW * 1000, onInternalFault: (fault) => faults.push(fault) },
      { rewardAddress: REWARD, identity: "TEST-1", timeBudget: 60_000 },
    );
    assert.deepEqual(builder.build().transactions.slice(0, -1), [good]);
    assert.deepEqual(pool.evicted, [toHex(broken.hash)]);
    assert.deepEqual(
      faults.map(({ hash }) => hash),
      [broken.hash],
    );
    assert.match(faults[0]!.reason, /^RangeError: out of bounds\n/);
  });

  it("omits transactions that are not valid now, and evicts those that never can be", async () => {
    const { mine, pool } = await bench({ minimumGasPrice: () => 1n });
    const cheap = signed("cow", { gasPrice: 0n });
    const dear = signed("cow1", { gasPrice: 101n });
    const early = signed("cow2", { nonce: 5n });
    const poor = signed("unfunded");
    const weak = signed("cow3", { gasLimit: 20_999n });
    const oddNonce = Transaction.decode(withNonce(signed("cow4"), fromHex("0000")));
    const foreign = signed("cow5", { chainId: 30 });
    const greedy = signed("cow6", { gasLimit: 50_000_000n });
    const good = signed("cow7");
    pool.transactions = [cheap, dear, early, poor, weak, oddNonce, foreign, greedy, good];
    const { transactions } = await mine();
    assert.deepEqual(transactions.map(({ hash }) => toHex(hash)).slice(0, -1), [toHex(good.hash)]);
    const unusable = [cheap, dear, weak, oddNonce, foreign].map(({ hash }) => toHex(hash));
    assert.deepEqual([...pool.evicted].sort(), unusable.sort());
    assert.deepEqual(pool.transactions, [early, poor, greedy]);
  });

  it("skips the successors of an omitted transaction", async () => {
    const { mine, pool } = await bench();
    pool.transactions = [
      signed("cow", { gasLimit: 9_000_000n }),
      signed("cow", { nonce: 1n }),
      signed("cow1"),
      signed("cow1", { nonce: 1n }),
    ];
    const { transactions } = await mine();
    assert.equal(transactions.length, 3);
  });

  it("stops at the gas limit and fills the next block", async () => {
    const { mine, pool } = await bench();
    pool.transactions = Array.from({ length: 700 }, (_, i) => signed("cow", { nonce: BigInt(i) }));
    const first = await mine();
    const second = await mine();
    assert(first.transactions.length > 300 && first.transactions.length < 700);
    assert(first.header.gasUsed <= 9_990_235);
    assert.equal(second.transactions[0]!.nonce, BigInt(first.transactions.length - 1));
  });

  it("stops at the time budget", async () => {
    const { mine, pool } = await bench({ timeBudget: -1 });
    pool.transactions = [signed("cow")];
    const { transactions } = await mine();
    assert.equal(transactions.length, 1);
    assert.equal(pool.transactions.length, 1);
  });

  it("contains requested transactions however long they take", async () => {
    const { builder } = await bench({ timeBudget: -1 });
    assert.equal(builder.build({ transactions: [signed("cow")] }).transactions.length, 2);
  });

  it("fails for an unknown parent", async () => {
    const { builder } = await bench();
    assert.equal(await codeOf(() => builder.build({ parentHash: new Uint8Array(32) })), "UNKNOWN_PARENT");
  });

  it("applies the clock shift", async () => {
    const { builder } = await bench();
    assert.equal(builder.build({ adjustment: 100 }).header.timestamp, BigInt(NOW + 100));
  });
});

describe("accounts that self-destruct in one list and are looked up in another", () => {
  // `33ff` is CALLER SELFDESTRUCT; a factory creates it at a fixed address with CREATE2
  const init = "6133ff5f526002601ef3";
  const word = init.padEnd(64, "0");

  it("does not change the result of validation", async () => {
    const { mine, pool, chain } = await bench();
    // stores the result of CREATE2 in slot 0
    const factory = deploying(`7f${word}5f525f600a5f5ff55f5500`);
    pool.transactions = [
      signed("cow", { to: undefined, data: factory, gasLimit: 500_000n, value: 0n }),
      signed("cow1", { to: undefined, data: factory, gasLimit: 500_000n, value: 0n }),
    ];
    await mine();
    const makers = ["cow", "cow1"].map((name) => contractAddress(addressOf(name), 0n));
    const made = contractAddress2(makers[0]!, new Uint8Array(32), keccak256(fromHex(init)));
    pool.transactions = [signed("cow2", { to: makers[0]!, gasLimit: 200_000n, value: 0n })];
    await mine();
    assert(chain.stateAfter(chain.best().hash)!.exists(made));
    // destroyed in one transaction and created again by another sender in the same block
    pool.transactions = [
      signed("cow3", { to: made, gasLimit: 100_000n, value: 0n }),
      signed("cow4", { to: makers[0]!, gasLimit: 200_000n, value: 0n }),
      signed("cow5", { to: makers[1]!, gasLimit: 200_000n, value: 0n }),
    ];
    const { header, transactions } = await mine();
    assert.equal(transactions.length, 4);
    assert.deepEqual(header.executionEdges, [2, 3]);
    assert(!chain.stateAfter(chain.best().hash)!.exists(made));
  });
});

describe("fork-detection data", () => {
  it("is part of templates from height 449, and import accepts it", async () => {
    const { chain, builder, mine } = await bench();
    while (chain.best().header.number < 448) await mine();
    assert.equal(rulesAt(network, 449).rskip110, true);
    for (let i = 0; i < 70; i++) {
      const { header, hashForMergedMining } = builder.build();
      assert.equal(header.forkDetectionData.length, 12);
      assert.deepEqual(hashForMergedMining.subarray(20), header.forkDetectionData);
      const { number } = await mine();
      assert.equal(
        new DataView(header.forkDetectionData.buffer, header.forkDetectionData.byteOffset).getUint32(8),
        number,
      );
    }
  });
});

describe("uncles of a template", () => {
  it("are siblings of the ancestors, the oldest first", async () => {
    const { chain, builder, mine, pool } = await bench();
    const a1 = await solve(builder.build());
    const b1 = await solve(builder.build({ adjustment: 1 }));
    const c1 = await solve(builder.build({ adjustment: 2 }));
    for (const block of [a1, b1, c1]) await chain.import(localBlock(block));
    assert.deepEqual(builder.build().uncles.length, 2);
    const second = await mine();
    const hashes = second.uncles.map(({ hash }) => toHex(hash));
    assert.deepEqual(hashes, [b1, c1].map(({ hash }) => toHex(hash)).sort());
    assert.equal(second.header.uncleCount, 2);
    pool.transactions = [signed("cow")];
    const third = await mine();
    assert.deepEqual(third.uncles, []);
  });

  it("are at most ten and at most six blocks old", async () => {
    const { chain, builder, mine } = await bench();
    for (let i = 0; i < 13; i++)
      await chain.import(localBlock(await solve(builder.build({ parentHash: chain.genesis.hash, adjustment: i }))));
    const second = await mine();
    assert.equal(second.uncles.length, 10);
    const third = await mine();
    assert.equal(third.uncles.length, 2);
  });

  it("are too old after seven blocks", async () => {
    const { chain, builder, mine } = await bench();
    await mine();
    const side = await solve(builder.build({ parentHash: chain.genesis.hash, adjustment: 5 }));
    for (let i = 0; i < 6; i++) await mine();
    await chain.import(localBlock(side));
    assert.equal(chain.best().header.number, 7);
    assert.equal(builder.build().uncles.length, 0);
  });

  it("are omitted one by one if they break a rule", async () => {
    const { chain, builder } = await bench();
    const own = await solve(builder.build());
    const good = await solve(builder.build({ adjustment: 1 }));
    const bad = await solve(builder.build({ adjustment: 2 }));
    for (const block of [own, good, bad]) await chain.import(localBlock(block));
    const broken = bad.header.with({ gasUsed: Number.MAX_SAFE_INTEGER });
    const headerByHash = chain.headerByHash.bind(chain);
    chain.headerByHash = (hash) => (equalBytes(hash, bad.hash) ? broken : headerByHash(hash));
    const { uncles } = builder.build();
    assert.deepEqual(
      uncles.map(({ hash }) => toHex(hash)),
      [toHex(good.hash)],
    );
  });

  it("follow a reorganisation", async () => {
    const { chain, builder, mine } = await bench();
    const genesis = chain.genesis.hash;
    const a1 = await mine();
    const a2 = await mine();
    const b1 = await solve(builder.build({ parentHash: genesis, adjustment: 10 }));
    assert.equal((await chain.import(localBlock(b1))).kind, "imported-side");
    for (let parent = b1.hash, i = 0; i < 2; i++) {
      const next = await solve(builder.build({ parentHash: parent }));
      await chain.import(localBlock(next));
      parent = next.hash;
    }
    assert.equal(chain.best().header.number, 3);
    const cited = [...(await mine()).uncles, ...chain.ancestors(chain.best().hash).uncles(2)!];
    assert(cited.some(({ hash }) => equalBytes(hash, a1.hash)));
    // child of a block that is not an ancestor
    assert(!cited.some(({ hash }) => equalBytes(hash, a2.hash)));
  });
});

describe("base event of a template", () => {
  it("is the event that the union contract set, also in the block that sets it", async () => {
    const union = { ...network.bridge.union, contractAddress: addressOf("cow") };
    const { mine, pool } = await bench({ network: { ...network, bridge: { ...network.bridge, union } } });
    const word = (value: number) => value.toString(16).padStart(64, "0");
    const data = fromHex(`fe43e2f8${word(32)}${word(3)}${"c0ffee".padEnd(64, "0")}`);
    assert.equal((await mine()).header.baseEvent!.length, 0);
    pool.transactions = [signed("cow", { to: BRIDGE_ADDRESS, data, gasLimit: 200_000n, value: 0n })];
    assert.equal(toHex((await mine()).header.baseEvent!), "c0ffee");
    assert.equal(toHex((await mine()).header.baseEvent!), "c0ffee");
  });

  it("is the result of the bridge's getBaseEvent()", async () => {
    const { chain, pool } = await bench();
    const evm = createChainEvm(network);
    const asked = fromHex("a25b94cb");
    const answering = {
      ...evm,
      call: (...args: Parameters<typeof evm.call>) => {
        const outcome = evm.call(...args);
        if (!equalBytes(args[0].data, asked)) return outcome;
        const output = fromHex(`${"20".padStart(64, "0")}${"2".padStart(64, "0")}${"abcd".padEnd(64, "0")}`);
        return { ...outcome, status: 1 as const, output };
      },
    };
    const builder = new BlockBuilder({ chain, pool, evm: answering }, { rewardAddress: REWARD, identity: "T" });
    const template = builder.build();
    assert.equal(toHex(template.header.baseEvent!), "abcd");
    assert.equal((await chain.import(localBlock(await solve(template)))).kind, "imported-best");
  });
});

function withNonce(transaction: Transaction, nonce: Uint8Array): Uint8Array {
  const { signature } = transaction;
  return new Transaction({
    nonce,
    gasPrice: transaction.gasPriceOrNull,
    gasLimit: transaction.gasLimitBytes,
    to: transaction.to,
    value: transaction.value,
    data: transaction.data,
    signature,
    unsignedChainId: 0,
    isReward: false,
  }).encoded;
}
