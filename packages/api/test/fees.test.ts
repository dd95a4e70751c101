import assert from "node:assert/strict";
import { toQuantity } from "@cambium/primitives";
import { COUNTER } from "@cambium/test-utils/api/real-chain";
import { openOver, type RealApi } from "./support/real-api.js";
import type { Json } from "./support/service.js";

describe("fees", () => {
  let service: RealApi;
  const call = (method: string, ...params: unknown[]): Promise<Json> => service.call(method, ...params);

  before(async () => {
    service = await openOver();
    const { real } = service;
    const to = real.deploy(COUNTER);
    await real.mine();
    // Three transfers of 21 000 gas; the prices are in no order.
    for (const gasPrice of [3n, 9n, 5n]) real.send({ to: new Uint8Array(20).fill(0x66), gasPrice, gasLimit: 21_000n });
    await real.mine();
    await real.mine();
    real.send({ to, gasPrice: 7n });
    await real.mine();
  });

  it("suggest the minimum gas price as tip", async () => {
    const { minimumGasPrice } = await call("eth_getBlockByNumber", "latest");
    assert.equal(await call("eth_maxPriorityFeePerGas"), minimumGasPrice);
  });

  it("list the shares of used gas, and no base fees", async () => {
    const history = await call("eth_feeHistory", "0x3", "latest");
    const blocks: Json[] = await Promise.all(
      ["0x2", "0x3", "0x4"].map((number) => call("eth_getBlockByNumber", number)),
    );
    assert.deepEqual(history, {
      oldestBlock: "0x2",
      baseFeePerGas: [],
      gasUsedRatio: blocks.map(({ gasUsed, gasLimit }) => Number(gasUsed) / Number(gasLimit)),
    });
    assert.deepEqual(await call("eth_feeHistory", 2, "0x3", []), {
      oldestBlock: "0x2",
      baseFeePerGas: [],
      gasUsedRatio: history.gasUsedRatio.slice(0, 2),
    });
  });

  it("return gas prices by percentile of the gas used", async () => {
    const { reward } = await call("eth_feeHistory", "0x4", "latest", [0, 25, 33, 34, 66, 67, 100]);
    const { minimumGasPrice } = await call("eth_getBlockByNumber", "0x3");
    assert.deepEqual(reward[1], [3n, 3n, 3n, 5n, 5n, 9n, 9n].map(toQuantity));
    assert.deepEqual(reward[2], new Array(7).fill(minimumGasPrice));
    assert.deepEqual(reward[3], new Array(7).fill("0x7"));
    assert.equal(reward.length, 4);
  });

  it("end at genesis, and return at most 1024 blocks", async () => {
    const all = await call("eth_feeHistory", "0xffffffff", "pending", [50]);
    assert.equal(all.oldestBlock, "0x0");
    assert.deepEqual([all.gasUsedRatio.length, all.reward.length], [5, 5]);
    assert.deepEqual(await call("eth_feeHistory", 0, "latest", [50]), {
      oldestBlock: "0x0",
      baseFeePerGas: [],
      gasUsedRatio: [],
      reward: [],
    });
  });

  it("refuse unknown blocks and percentiles that do not ascend up to 100", async () => {
    await assert.rejects(call("eth_feeHistory", "0x1", "0x5"), { code: -32602 });
    for (const percentiles of [[101], [-1], [50, 40], ["50"], new Array(101).fill(1), "50", [null]]) {
      await assert.rejects(call("eth_feeHistory", "0x1", "latest", percentiles), { code: -32602 });
    }
    await assert.rejects(call("eth_feeHistory", "many", "latest"), { code: -32602 });
  });
});
