import assert from "node:assert/strict";
import { contractAddress, fromHex, keccak256, toData, toQuantity, utf8 } from "@cambium/primitives";
import {
  callerOf,
  creationOf,
  ECHO,
  LOGGER,
  LOOP,
  REVERTER,
  REWARDED,
  RealChain,
  SENDER,
} from "@cambium/test-utils/api/real-chain";
import { openOver, type RealApi } from "./support/real-api.js";
import type { Json } from "./support/service.js";

const UNKNOWN = `0x${"12".repeat(32)}`;
const STRANGER = `0x${"34".repeat(20)}`;
const INVALID_PARAMS = -32602;

/** Reverts with the four bytes 11223344. */
const REASONED = "63112233446000526004601cfd";
/** Pays its balance to an account and destroys itself. */
const destroyer = (beneficiary: string) => `73${beneficiary.slice(2)}ff`;
/** Creates a contract whose code is one STOP, then runs `end`. */
const factory = (end: string) => `6460016000f36000526005601b6000f050${end}`;
/** Calls a library's code with each of these opcodes. */
const calling = (library: string, opcodes: readonly string[]) =>
  opcodes.map((opcode) => `600060006000600073${library.slice(2)}5a${opcode}`).join("");

describe("methods for Otterscan", () => {
  let service: RealApi;
  const call = (method: string, ...params: unknown[]): Promise<Json> => service.call(method, ...params);
  const { send, deploy } = {
    send: (own: Parameters<RealChain["send"]>[0]) => toData(service.real.send(own).hash),
    deploy: (code: string, value?: bigint) => toData(service.real.deploy(code, value)),
  };
  const mine = () => service.real.mine();

  beforeEach(async () => {
    service = await openOver();
  });

  it("have the level that Otterscan looks for", async () => {
    assert.equal(await call("ots_getApiLevel"), 8);
  });

  describe("for blocks", () => {
    it("return the header that `eth_getHeaderByNumber` returns", async () => {
      await mine();
      for (const block of [1, "0x1", "latest", "earliest", 7]) {
        const expected = await call("eth_getHeaderByNumber", block);
        assert.deepEqual(await call("erigon_getHeaderByNumber", block), expected);
      }
    });

    it("return details without transactions", async () => {
      send({ to: SENDER, gasPrice: 3n });
      const { hash } = await mine();
      const { transactions, ...members } = await call("eth_getBlockByNumber", "0x1", false);
      const expected = {
        block: { ...members, logsBloom: null, transactionCount: transactions.length },
        issuance: { blockReward: "0x0", uncleReward: "0x0", issuance: "0x0" },
        totalFees: toQuantity(3 * 21_000),
      };
      assert.deepEqual(await call("ots_getBlockDetails", 1), expected);
      assert.deepEqual(await call("ots_getBlockDetailsByHash", toData(hash)), expected);
      const genesis = await call("ots_getBlockDetails", 0);
      assert.deepEqual([genesis.block.number, genesis.block.transactionCount, genesis.totalFees], ["0x0", 0, "0x0"]);
      assert.equal(await call("ots_getBlockDetails", 2), null);
      assert.equal(await call("ots_getBlockDetailsByHash", UNKNOWN), null);
      await assert.rejects(call("ots_getBlockDetails", "pending"), { code: -32201 });
    });

    it("page the transactions of a block from the last one on", async () => {
      const logger = service.real.deploy(LOGGER);
      send({ to: logger, data: Uint8Array.of(1, 2, 3, 4, 5, 6) });
      send({ to: logger });
      const { transactions } = await mine();
      const hashes = transactions.map(({ hash }) => toData(hash));
      assert.equal(hashes.length, 4);
      const page = async (number: number, size: number) => {
        const { fullblock, receipts } = await call("ots_getBlockTransactions", 1, number, size);
        assert.equal(fullblock.transactionCount, 4);
        assert.deepEqual(
          receipts.map(({ transactionHash }: Json) => transactionHash),
          fullblock.transactions.map(({ hash }: Json) => hash),
        );
        for (const { logs, logsBloom } of receipts) assert.deepEqual([logs, logsBloom], [null, null]);
        return fullblock.transactions;
      };
      const hashesOf = (list: Json) => list.map(({ hash }: Json) => hash);
      assert.deepEqual(hashesOf(await page(0, 3)), hashes.slice(1));
      assert.deepEqual(hashesOf(await page(1, 3)), hashes.slice(0, 1));
      assert.deepEqual(hashesOf(await page(2, 3)), []);
      assert.equal((await page(0, 4))[1].input, "0x01020304");
      const empty = await call("ots_getBlockTransactions", 0, 0, 25);
      assert.deepEqual([empty.fullblock.transactions, empty.receipts], [[], []]);
      assert.equal(await call("ots_getBlockTransactions", 9, 0, 25), null);
      for (const size of [0, 256, "many"]) {
        await assert.rejects(call("ots_getBlockTransactions", 1, 0, size), { code: INVALID_PARAMS });
      }
    });
  });

  describe("for transactions", () => {
    it("return the tree of calls as a list", async () => {
      const echo = service.real.deploy(ECHO);
      const caller = service.real.deploy(callerOf(echo, true), 100n);
      await mine();
      const word = "07".padStart(64, "0");
      const hash = send({ to: caller, data: keccak256(utf8("")).fill(0, 0, 31).fill(7, 31) });
      await mine();
      const [outer, inner] = [toData(caller), toData(echo)];
      const io = { input: `0x${word}`, output: `0x${word}` };
      assert.deepEqual(await call("ots_traceTransaction", hash), [
        { type: "CALL", depth: 0, from: toData(SENDER), to: outer, value: "0x0", ...io },
        { type: "CALL", depth: 1, from: outer, to: inner, value: "0x64", ...io },
      ]);
      assert.deepEqual(await call("ots_getInternalOperations", hash), [
        { type: 0, from: outer, to: inner, value: "0x64" },
      ]);
    });

    it("name the code that delegated and static calls run, without a value", async () => {
      const echo = deploy(ECHO);
      const address = deploy(calling(echo, ["f4", "fa"]));
      const hash = send({ to: fromHex(address) });
      await mine();
      const [, ...inner] = await call("ots_traceTransaction", hash);
      assert.deepEqual(
        inner.map(({ type, from, to, value }: Json) => ({ type, from, to, value })),
        ["DELEGATECALL", "STATICCALL"].map((type) => ({ type, from: address, to: echo, value: null })),
      );
      assert.deepEqual(await call("ots_getInternalOperations", hash), []);
    });

    it("list creations and self-destructs, but no operations that were reverted", async () => {
      const made = service.real.deploy(factory("00"));
      const undone = service.real.deploy(factory(REVERTER));
      const outer = service.real.deploy(callerOf(undone));
      const destroyed = service.real.deploy(destroyer(STRANGER), 5n);
      await mine();
      const hashes = [made, undone, outer, destroyed].map((to) => send({ to, gasLimit: 100_000n }));
      await mine();
      const operations = await Promise.all(hashes.map((hash) => call("ots_getInternalOperations", hash)));
      const created = toData(contractAddress(made, 0n));
      assert.deepEqual(operations, [
        [{ type: 2, from: toData(made), to: created, value: "0x0" }],
        [],
        [],
        [{ type: 1, from: toData(destroyed), to: STRANGER, value: "0x5" }],
      ]);
      const last = (await call("ots_traceTransaction", hashes[3]!)).at(-1);
      const entry = { type: "SELFDESTRUCT", depth: 1, from: toData(destroyed), to: STRANGER, value: "0x5" };
      assert.deepEqual(last, { ...entry, input: "0x", output: "0x" });
    });

    it("return the data of a revert", async () => {
      const codes = [REASONED, REVERTER, LOOP, LOGGER];
      const contracts = codes.map((code) => service.real.deploy(code));
      await mine();
      const hashes = contracts.map((to) => send({ to, gasLimit: 100_000n }));
      const creation = send({ data: fromHex(REASONED) });
      await mine();
      const errors = await Promise.all([...hashes, creation].map((hash) => call("ots_getTransactionError", hash)));
      assert.deepEqual(errors, ["0x11223344", "0x", "0x", "0x", "0x11223344"]);
    });

    it("return null for unknown transactions", async () => {
      for (const method of ["ots_traceTransaction", "ots_getInternalOperations", "ots_getTransactionError"]) {
        assert.equal(await call(method, UNKNOWN), null);
        await assert.rejects(call(method, "0x12"), { code: INVALID_PARAMS });
      }
    });

    it("find a transaction by sender and nonce", async () => {
      const hashes = [send({ to: SENDER }), send({ to: SENDER })];
      await mine();
      const sender = toData(SENDER);
      assert.equal(await call("ots_getTransactionBySenderAndNonce", sender, 0), hashes[0]);
      assert.equal(await call("ots_getTransactionBySenderAndNonce", sender, "0x1"), hashes[1]);
      assert.equal(await call("ots_getTransactionBySenderAndNonce", sender, 2), null);
      assert.equal(await call("ots_getTransactionBySenderAndNonce", STRANGER, 0), null);
    });
  });

  describe("for accounts", () => {
    it("tell whether an account has code", async () => {
      const logger = deploy(LOGGER);
      await mine();
      const results = [
        await call("ots_hasCode", logger, "latest"),
        await call("ots_hasCode", logger, 1),
        await call("ots_hasCode", logger, 0),
        await call("ots_hasCode", toData(SENDER), "latest"),
        await call("ots_hasCode", STRANGER),
        await call("ots_hasCode", logger, "pending"),
      ];
      assert.deepEqual(results, [true, true, false, false, false, true]);
      await assert.rejects(call("ots_hasCode", logger, 9), { code: -32600 });
    });

    it("find the creator of a contract", async () => {
      const creator = async (address: Uint8Array) => call("ots_getContractCreator", toData(address));
      const made = service.real.deploy(factory("00"));
      const undone = service.real.deploy(factory(REVERTER));
      await mine();
      await mine();
      const [hash] = [send({ to: made }), send({ to: undone })];
      await mine();
      await mine();
      assert.deepEqual(await creator(contractAddress(made, 0n)), { hash, creator: toData(made) });
      assert.equal(await creator(contractAddress(undone, 0n)), null);
      const { hash: first } = (await call("eth_getBlockByNumber", "0x1", true)).transactions[0];
      assert.deepEqual(await creator(made), { hash: first, creator: toData(SENDER) });
      assert.equal(await creator(SENDER), null);
    });

    it("find no creator of a destroyed contract", async () => {
      const destroyed = service.real.deploy(destroyer(STRANGER));
      await mine();
      assert.notEqual(await call("ots_getContractCreator", toData(destroyed)), null);
      send({ to: destroyed });
      await mine();
      assert.equal(await call("ots_getContractCreator", toData(destroyed)), null);
    });
  });
});

describe("search of an account's transactions for Otterscan", () => {
  let service: RealApi;
  let contract: Uint8Array;
  /** Hashes of transactions that call the contract, from new to old. */
  const touching: string[] = [];

  const search = (direction: "Before" | "After", address: Uint8Array, ...params: unknown[]): Promise<Json> =>
    service.call(`ots_searchTransactions${direction}`, toData(address), ...params);
  const hashesOf = ({ txs, receipts }: Json): string[] => {
    assert.deepEqual(
      receipts.map(({ transactionHash }: Json) => transactionHash),
      txs.map(({ hash }: Json) => hash),
    );
    return txs.map(({ hash }: Json) => hash);
  };

  before(async () => {
    service = await openOver();
    const { real } = service;
    contract = real.deploy(LOGGER);
    const caller = real.deploy(callerOf(contract));
    touching.push(toData((await real.mine()).transactions[0]!.hash));
    const add = (to: Uint8Array) => touching.unshift(toData(real.send({ to }).hash));
    // Blocks 2 to 7: one call, none, two calls, one inside another call, one between transfers, none.
    add(contract);
    await real.mine();
    await real.mine();
    add(contract);
    add(contract);
    await real.mine();
    add(caller);
    await real.mine();
    real.send({ to: SENDER });
    add(contract);
    real.send({ to: SENDER });
    await real.mine();
    await real.mine();
  });

  it("pages backwards, with whole blocks", async () => {
    assert.equal(touching.length, 6);
    const first = await search("Before", contract, 0, 3);
    assert.deepEqual(hashesOf(first), touching.slice(0, 4));
    assert.deepEqual([first.firstPage, first.lastPage, first.unexecuted], [true, false, undefined]);
    const second = await search("Before", contract, 4, 3);
    assert.deepEqual(hashesOf(second), touching.slice(4));
    assert.deepEqual([second.firstPage, second.lastPage], [false, true]);
    const whole = await search("Before", contract, 1_000, 6);
    assert.deepEqual(hashesOf(whole), touching);
    assert.deepEqual([whole.firstPage, whole.lastPage], [true, true]);
    const [{ timestamp, logs }] = whole.receipts;
    const { timestamp: expected } = await service.call("eth_getBlockByNumber", "0x6", false);
    assert.deepEqual([timestamp, logs.length], [Number(expected), 1]);
  });

  it("pages forwards, from new to old too", async () => {
    const last = await search("After", contract, 0, 2);
    assert.deepEqual(hashesOf(last), touching.slice(4));
    assert.deepEqual([last.firstPage, last.lastPage], [false, true]);
    const middle = await search("After", contract, 2, 1);
    assert.deepEqual(hashesOf(middle), touching.slice(2, 4));
    assert.deepEqual([middle.firstPage, middle.lastPage], [false, false]);
    const newest = await search("After", contract, 4, 25);
    assert.deepEqual(hashesOf(newest), touching.slice(0, 2));
    assert.deepEqual([newest.firstPage, newest.lastPage], [true, false]);
  });

  it("finds nothing outside of the chain, and of accounts without transactions", async () => {
    const nothing = { txs: [], receipts: [] };
    for (const block of [7, 1_000]) {
      const found = await search("After", contract, block, 5);
      assert.deepEqual(found, { ...nothing, firstPage: true, lastPage: false });
    }
    assert.deepEqual(await search("Before", contract, 1, 5), { ...nothing, firstPage: false, lastPage: true });
    const stranger = keccak256(utf8("stranger")).subarray(12);
    assert.deepEqual(await search("Before", stranger, 0, 5), { ...nothing, firstPage: true, lastPage: true });
  });

  it("refuses sizes of pages, blocks and addresses that are none", async () => {
    for (const params of [[0, 0], [0, 256], [-1, 5], ["latest", 5], [0]]) {
      await assert.rejects(search("Before", contract, ...params), { code: INVALID_PARAMS });
    }
    await assert.rejects(service.call("ots_searchTransactionsAfter", "0x12", 0, 5), { code: INVALID_PARAMS });
  });

  it("finds senders, created contracts, beneficiaries and rewarded miners", async () => {
    const real = await RealChain.open();
    const own = await openOver({}, {}, real);
    const count = async (address: string) =>
      (await own.call("ots_searchTransactionsBefore", address, 0, 255)).txs.length;
    const destroyed = real.deploy(destroyer(STRANGER), 5n);
    await real.mine();
    real.send({ to: destroyed });
    await real.mine();
    assert.equal(await count(toData(SENDER)), 2);
    assert.equal(await count(toData(destroyed)), 2);
    assert.equal(await count(STRANGER), 1);
    const failed = real.send({ data: creationOf(LOOP).fill(0xfe) });
    await real.mine();
    assert.equal(await count(toData(contractAddress(SENDER, failed.nonce))), 1);
    // The reward transaction of a later block pays the miner of an early one.
    let rewards = 0;
    for (let i = 0; i < 30 && rewards === 0; i++) {
      await real.mine();
      rewards = (await own.call("trace_filter", { fromBlock: "0x1", toAddress: [toData(REWARDED)] })).length;
    }
    assert(rewards > 0);
    assert.equal(await count(toData(REWARDED)), rewards);
    const hiding = await openOver({ skipRemasc: true }, {}, real);
    const { txs, lastPage } = await hiding.call("ots_searchTransactionsBefore", toData(REWARDED), 0, 255);
    assert.deepEqual([txs, lastPage], [[], true]);
  });
});
