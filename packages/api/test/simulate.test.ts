import assert from "node:assert/strict";
import { local } from "@cambium/config";
import { contractAddress, fromHex, keccak256, toData, toQuantity, utf8 } from "@cambium/primitives";
import { COUNTER, callerOf, creationOf, LOGGER, LOOP, REVERTER, SENDER } from "@cambium/test-utils/api/real-chain";
import { openOver, type RealApi } from "./support/real-api.js";
import type { Json } from "./support/service.js";

const from = toData(SENDER);
const POOR = `0x${"77".repeat(20)}`;
const COIN = `0x${"ee".repeat(20)}`;
const TRANSFER = toData(keccak256(utf8("Transfer(address,address,uint256)")));
const SHA256 = `0x${"2".padStart(40, "0")}`;
/** Address of a contract whose input must have a certain length. */
const BLAKE2F = "9".padStart(40, "0");
const word = (value: number | bigint) => value.toString(16).padStart(64, "0");
/** Returns the first cell. */
const READER = "60005460005260206000f3";

describe("eth_simulateV1", () => {
  let service: RealApi;
  let head: Json;
  const at: Record<string, string> = {};
  const simulate = (blockStateCalls: unknown, options: object = {}, ...more: unknown[]): Promise<Json> =>
    service.call("eth_simulateV1", { blockStateCalls, ...options }, ...more);
  const one = async (call: object, options: object = {}) => (await simulate([{ calls: [call] }], options))[0].calls[0];
  const refused = (blocks: unknown, code: number, options: object = {}, ...more: unknown[]) =>
    assert.rejects(simulate(blocks, options, ...more), (error: Json) => {
      assert.equal(error.code, code, JSON.stringify(error));
      return true;
    });

  before(async () => {
    service = await openOver();
    const { real } = service;
    for (const [name, code] of Object.entries({ COUNTER, LOGGER, LOOP, REVERTER })) {
      at[name] = toData(real.deploy(code));
    }
    at.payer = toData(real.deploy(callerOf(fromHex("66".repeat(20)), true), 1_000n));
    at.hasher = toData(real.deploy(callerOf(fromHex(SHA256.slice(2)), true), 1_000n));
    at.failing = toData(real.deploy(callerOf(fromHex(BLAKE2F), true), 1_000n));
    await real.mine();
    head = await service.call("eth_getBlockByNumber", "latest");
  });

  it("does what a transaction does", async () => {
    const { real } = service;
    const simulated = await one({ from, to: at.LOGGER });
    const transaction = real.send({ to: fromHex(at.LOGGER!.slice(2)) });
    await real.mine();
    const receipt = await service.call("eth_getTransactionReceipt", toData(transaction.hash));
    head = await service.call("eth_getBlockByNumber", "latest");
    assert.deepEqual([simulated.gasUsed, simulated.status], [receipt.gasUsed, "0x1"]);
    const [{ address, topics, data, logIndex }] = simulated.logs;
    const [log] = receipt.logs;
    assert.deepEqual([address, topics, data, logIndex], [log.address, log.topics, log.data, "0x0"]);
  });

  it("carries the state from call to call and from block to block, and stores nothing", async () => {
    const count = { from, to: at.COUNTER };
    const read = { [at.COUNTER!]: { code: `0x${READER}` } };
    const blocks = await simulate([
      { calls: [count, count] },
      { calls: [count] },
      { stateOverrides: read, calls: [count] },
    ]);
    assert.equal(blocks[2].calls[0].returnData, `0x${word(3)}`);
    assert.deepEqual(
      blocks[0].calls.map(({ status }: Json) => status),
      ["0x1", "0x1"],
    );
    assert.equal(await service.call("eth_getStorageAt", at.COUNTER, "0x0", "latest"), `0x${word(0)}`);
    // Each call uses a nonce: the creation in the second block has a different address.
    const creation = { from, data: toData(creationOf(READER)) };
    const nonce = BigInt(await service.call("eth_getTransactionCount", from));
    const created = toData(contractAddress(SENDER, nonce + 1n));
    const [, second] = await simulate([{ calls: [count, creation] }, { calls: [{ from, to: created }] }]);
    assert.equal(second.calls[0].returnData, `0x${word(0)}`);
  });

  it("returns blocks that follow each other, with their hashes", async () => {
    const blocks = await simulate([{ calls: [{ from, to: at.COUNTER }] }, {}], { returnFullTransactions: true });
    const [first, second] = blocks;
    assert.equal(first.parentHash, head.hash);
    assert.equal(second.parentHash, first.hash);
    assert.equal(Number(first.number), Number(head.number) + 1);
    const { blockDuration } = local.consensus;
    assert.equal(Number(second.timestamp), Number(head.timestamp) + 2 * blockDuration);
    assert.equal(first.gasLimit, head.gasLimit);
    assert.equal(first.gasUsed, first.calls[0].gasUsed);
    const [transaction] = first.transactions;
    assert.deepEqual([transaction.from, transaction.to, transaction.blockHash], [from, at.COUNTER, first.hash]);
    assert.deepEqual(second.transactions, []);
    const [{ transactions }] = await simulate([{ calls: [{ from, to: at.COUNTER }] }]);
    assert.deepEqual(transactions, [transaction.hash]);
  });

  it("overrides blocks, and fills gaps between their numbers", async () => {
    // Returns number, timestamp, coinbase and the hash of the block before.
    const code = "0x436000524260205241604052600143034060605260806000f3";
    const overrides = { [POOR]: { code } };
    const number = Number(head.number) + 4;
    const blockOverrides = { number: toQuantity(number), time: "0x70000000", feeRecipient: POOR, gasLimit: "0x100000" };
    const blocks = await simulate([{ stateOverrides: overrides, blockOverrides, calls: [{ from, to: POOR }] }]);
    assert.deepEqual(
      blocks.map((block: Json) => Number(block.number)),
      [number - 3, number - 2, number - 1, number],
    );
    const last = blocks[3];
    const values = [word(number), word(0x70000000), POOR.slice(2).padStart(64, "0"), blocks[2].hash.slice(2)];
    assert.equal(last.calls[0].returnData, `0x${values.join("")}`);
    assert.deepEqual([last.miner, last.gasLimit], [POOR, "0x100000"]);
  });

  it("traces transfers as logs of a token", async () => {
    const transfers = { traceTransfers: true };
    const log = (sender: string, receiver: string, value: number) => [
      COIN,
      [TRANSFER, `0x${word(BigInt(sender))}`, `0x${word(BigInt(receiver))}`],
      `0x${word(value)}`,
    ];
    const shown = ({ logs }: Json) => logs.map(({ address, topics, data }: Json) => [address, topics, data]);
    const plain = await one({ from, to: POOR, value: "0x5" }, transfers);
    assert.deepEqual(shown(plain), [log(from, POOR, 5)]);
    const paying = await one({ from, to: at.payer, value: "0x7" }, transfers);
    assert.deepEqual(shown(paying), [log(from, at.payer!, 7), log(at.payer!, `0x${"66".repeat(20)}`, 100)]);
    assert.deepEqual(shown(await one({ from, to: at.payer, value: "0x7" })), []);
    const reverted = await one({ from, to: at.REVERTER, value: "0x7" }, transfers);
    assert.deepEqual([reverted.logs, reverted.status], [[], "0x0"]);
    // Native contracts open no frame.
    assert.deepEqual(shown(await one({ from, to: SHA256, value: "0x5" }, transfers)), [log(from, SHA256, 5)]);
    const hashing = await one({ from, to: at.hasher, value: "0x7" }, transfers);
    assert.deepEqual(shown(hashing), [log(from, at.hasher!, 7), log(at.hasher!, SHA256, 100)]);
    // BLAKE2F refuses an empty input, so the transfer to it is undone.
    const failing = await one({ from, to: at.failing, value: "0x7" }, transfers);
    assert.deepEqual([shown(failing), failing.status], [[log(from, at.failing!, 7)], "0x1"]);
  });

  it("reports calls that fail without ending the simulation", async () => {
    const [{ calls }] = await simulate([
      {
        calls: [
          { from, to: at.REVERTER },
          { from, to: at.LOOP, gas: "0x10000" },
          { from, to: at.COUNTER },
        ],
      },
    ]);
    assert.deepEqual(calls[0].error, { code: 3, message: "execution reverted", data: "0x" });
    assert.deepEqual(calls[1].error, { code: -32015, message: "out of gas" });
    assert.equal(calls[1].gasUsed, "0x10000");
    assert.deepEqual(calls[2].status, "0x1");
  });

  it("checks nonces and gas prices under validation only", async () => {
    const nonce = await service.call("eth_getTransactionCount", from);
    const call = (changes: object) => [{ calls: [{ from, to: POOR, gas: "0x5208", ...changes }] }];
    const strict = { validation: true };
    await refused(call({ nonce: "0x0" }), -38010, strict);
    await refused(call({ nonce: toQuantity(Number(nonce) + 1) }), -38011, strict);
    assert.equal((await simulate(call({ nonce }), strict))[0].calls[0].status, "0x1");
    assert.equal((await simulate(call({ nonce: "0x0" })))[0].calls[0].status, "0x1");
    const blockOverrides = { baseFeePerGas: "0x9" };
    await refused([{ blockOverrides, ...call({ gasPrice: "0x8" })[0] }], -38012, strict);
    const priced = await simulate([{ blockOverrides, ...call({ maxFeePerGas: "0x9" })[0] }], strict);
    assert.equal(priced[0].minimumGasPrice, "0x9");
    assert.equal(Number(priced[0].paidFees), 9 * 21_000);
  });

  it("does not limit calls without a sender by funds, except under validation", async () => {
    const call = { to: POOR, value: toQuantity(10n ** 30n), gasPrice: "0x1" };
    const [{ calls }, { calls: later }] = await simulate([
      { calls: [call] },
      { calls: [{ from: POOR, to: from, value: "0x1" }] },
    ]);
    assert.deepEqual([calls[0].status, later[0].status], ["0x1", "0x1"]);
    await refused([{ calls: [{ ...call, from: `0x${"00".repeat(20)}` }] }], -38014);
    await refused([{ calls: [call] }], -38014, { validation: true });
  });

  it("refuses calls that cannot start, and blocks out of order", async () => {
    await refused([{ calls: [{ from, to: POOR, gas: "0x5207" }] }], -38013);
    await refused([{ calls: [{ from: POOR, to: from, value: "0x1" }] }], -38014);
    await refused([{ calls: [{ from, to: POOR, gas: "0x10000000" }] }], -38015);
    await refused([{ blockOverrides: { number: head.number } }], -38020);
    await refused([{ blockOverrides: { time: head.timestamp } }], -38021);
    await refused([{ blockOverrides: { number: "0xffff" } }], -38026);
    await refused(new Array(257).fill({}), -38026);
    await refused([{ calls: new Array(1_001).fill({ from, to: POOR }) }], -38026);
    await refused([], -32602);
    await refused("none", -32602);
    await refused([{ calls: [7] }], -32602);
    await refused([{ blockOverrides: { withdrawals: [] } }], -32602);
    await refused([{ stateOverrides: { "0x0000000000000000000000000000000000000004": { code: "0x" } } }], -32602);
    await refused([{}], -32600, {}, "0x99");
  });

  it("shares one gas limit among all calls, and the limit of a response", async () => {
    const limited = await openOver({ callGasCap: 100_000, maxResponseSize: 20_000 });
    const to = toData(limited.real.deploy(LOOP));
    await limited.real.mine();
    const calls = (count: number) => [
      { blockStateCalls: [{ calls: new Array(count).fill({ from, to, gas: "0xc350" }) }] },
    ];
    const [{ gasUsed }] = await limited.call("eth_simulateV1", ...calls(2));
    assert.equal(Number(gasUsed), 100_000);
    await assert.rejects(limited.call("eth_simulateV1", ...calls(3)), { code: -38013 });
    await assert.rejects(limited.call("eth_simulateV1", { blockStateCalls: new Array(20).fill({}) }), { code: -32011 });
  });
});
