import assert from "node:assert/strict";
import { ChainError, type ChainReader } from "@cambium/chain";
import { keccak256, toData, utf8 } from "@cambium/primitives";
import { LOGGER, RealChain, SENDER } from "@cambium/test-utils/api/real-chain";
import { Deadline } from "../src/limits/deadline.js";
import { AddressSearch, type AddressSearchRequest } from "../src/otterscan/address-search.js";

/** Enough for four empty blocks. */
const MAX_GAS = 400_000;
const BLOCKS = 20;
const STRANGER = keccak256(utf8("stranger")).subarray(12);
const RECEIVER = keccak256(utf8("receiver")).subarray(12);

describe("bounds of the search for an account's transactions", () => {
  let real: RealChain;
  let contract: Uint8Array;

  before(async () => {
    real = await RealChain.open();
    contract = real.deploy(LOGGER);
    await real.mine();
    real.send({ to: RECEIVER, value: 1n });
    await real.mine();
    while (real.chain.best().header.number < BLOCKS) await real.mine();
  });

  function search(own: Partial<AddressSearchRequest>, chain: ChainReader = real.chain) {
    const { hash: headHash } = chain.best();
    const request = {
      address: RECEIVER,
      direction: "before",
      number: 0,
      headHash,
      pageSize: 5,
      time: 60_000,
      ...own,
    } as const;
    const { transactions, ...rest } = new AddressSearch(chain, request, Deadline.after(0), MAX_GAS).run();
    return { blocks: transactions.map(({ block }) => block.number), ...rest };
  }

  it("finds further transactions by changes of the account, and tells where", () => {
    assert.deepEqual(search({}), { blocks: [2], isEnd: true, byChanges: [16, 1] });
    assert.deepEqual(search({ address: SENDER, pageSize: 1 }), { blocks: [2], isEnd: false, byChanges: [16, 1] });
    assert.deepEqual(search({ number: 5 }), { blocks: [2], isEnd: true });
    assert.deepEqual(search({ number: 5, direction: "after" }), { blocks: [], isEnd: true, byChanges: [10, BLOCKS] });
    assert.deepEqual(search({ address: STRANGER }), { blocks: [], isEnd: true, byChanges: [16, 1] });
  });

  it("returns a short page instead of skipping blocks", () => {
    assert.deepEqual(search({ direction: "after" }), { blocks: [2], isEnd: false });
  });

  it("returns what it finds in its share of the time, but executes a block at least", () => {
    assert.deepEqual(search({ time: 0 }), { blocks: [2], isEnd: true, byChanges: [BLOCKS - 1, 1] });
    assert.deepEqual(search({ time: 0, number: 3 }), { blocks: [2], isEnd: false });
    assert.deepEqual(search({ time: 0, address: SENDER, pageSize: 5 }).blocks, [2]);
    assert.throws(() => search({ time: 0, address: contract }), { code: "LIMIT_EXCEEDED" });
  });

  it("refuses to search a contract further, whose changes do not tell of calls", () => {
    const text = `No transaction of ${toData(contract)} in blocks 20 to 17; one search executes no more. Repeat the search with block number 17`;
    assert.throws(() => search({ address: contract }), { details: { code: "LIMIT_EXCEEDED", text } });
    assert.deepEqual(search({ address: contract, number: 5 }), { blocks: [1], isEnd: true });
    // The archive layout does not store changes of accounts.
    const unindexed = over({ accountChanges: () => undefined });
    assert.throws(() => search({}, unindexed), { code: "LIMIT_EXCEEDED" });
  });

  it("tells which setting stores the states that it needs", () => {
    const chain = over({
      replay(block, ...rest) {
        const number = block instanceof Uint8Array ? real.chain.headerByHash(block)!.number : block.number;
        if (number < 4) throw new ChainError({ code: "STATE_UNAVAILABLE", number });
        return real.chain.replay(block, ...rest);
      },
    });
    const text = "Block 3 cannot be searched: its state is not stored (see --state.history)";
    assert.throws(() => search({ number: 6 }, chain), { details: { code: "STATE_NOT_FOUND", text } });
  });

  it("ends with the time of the request", () => {
    const { hash: headHash } = real.chain.best();
    const request = { address: STRANGER, direction: "before", number: 0, headHash, pageSize: 5, time: 60_000 } as const;
    let checks = 0;
    const check = () => {
      if (++checks === 3) throw new Error("time is up");
    };
    assert.throws(() => new AddressSearch(real.chain, request, { check }).run(), { message: "time is up" });
  });

  it("searches up to the block that was best when it began", () => {
    const { hash: headHash } = real.chain.headerByNumber(1)!;
    assert.deepEqual(search({ headHash }), { blocks: [], isEnd: true });
    assert.deepEqual(search({ headHash, address: contract }), { blocks: [1], isEnd: true });
  });

  function over(changes: Partial<ChainReader>): ChainReader {
    return new Proxy<ChainReader>(real.chain, {
      get(target, name) {
        const own = changes[name as keyof ChainReader] ?? Reflect.get(target, name, target);
        return typeof own === "function" ? own.bind(target) : own;
      },
    });
  }
});
