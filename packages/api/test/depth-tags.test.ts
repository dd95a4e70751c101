import assert from "node:assert/strict";
import { main } from "@cambium/config";
import { toData } from "@cambium/primitives";
import { CONTRACT, FakeChain, makeLog, RICH } from "@cambium/test-utils/api/fake-chain";
import type { ApiConfig } from "../src/config.js";
import { METHODS } from "../src/index.js";
import { apiOver, ask } from "./support/service.js";

describe("the tags safe and finalized", () => {
  const long = new FakeChain();
  for (let number = 1; number <= 510; number++)
    long.extend(number === 10 || number === 410 ? [[makeLog(CONTRACT)]] : []);
  const short = new FakeChain();
  short.extend();
  const numberOf = async (chain: FakeChain, tag: string, changes: Partial<ApiConfig> = {}) => {
    const block = await ask(apiOver(chain, changes), "eth_getBlockByNumber", tag);
    return Number(block.number);
  };

  it("select blocks 100 and 500 below the best one", async () => {
    assert.equal(await numberOf(long, "safe"), 410);
    assert.equal(await numberOf(long, "finalized"), 10);
    assert.equal(await numberOf(short, "safe"), 0);
    assert.equal(await numberOf(short, "finalized"), 0);
    const service = apiOver(long);
    const count = (block: string) => ask(service, "eth_getTransactionCount", toData(RICH), block);
    assert.equal(await count("safe"), await count("0x19a"));
    const logs = await ask(service, "eth_getLogs", { fromBlock: "finalized", toBlock: "safe" });
    assert.deepEqual(
      logs.map(({ blockNumber }: { blockNumber: string }) => Number(blockNumber)),
      [10, 410],
    );
    const history = await ask(service, "eth_feeHistory", 2, "finalized");
    assert.equal(history.oldestBlock, "0x9");
  });

  it("are refused like by the deployed client, or if the operator says so", async () => {
    const refusal = { code: -32602, message: "Unsupported block specifier 'safe'" };
    const public_ = new FakeChain(main);
    public_.extend();
    assert.equal(await numberOf(public_, "safe"), 0);
    await assert.rejects(numberOf(public_, "safe", { compatibility: "deployed" }), refusal);
    await assert.rejects(numberOf(short, "safe", { finality: false }), refusal);
    assert.equal(await numberOf(public_, "safe", { compatibility: "deployed", finality: true }), 0);
    const logs = apiOver(short, { finality: false });
    await assert.rejects(ask(logs, "eth_getLogs", { fromBlock: "safe" }), refusal);
  });

  it("are accepted by every method that takes a block", async () => {
    const service = apiOver(short);
    for (const { name, params } of METHODS) {
      const index = params.findIndex(({ type }) => type.name === "BLOCK");
      if (index < 0) continue;
      const refused = params[index]!.type;
      assert.throws(() => refused.parse("safe"), { message: /Unsupported block specifier/ }, name);
      assert.deepEqual(
        refused.parse("safe", () => 7),
        { kind: "number", number: 7, text: "safe" },
        name,
      );
    }
    assert.notEqual(await ask(service, "debug_getRawHeader", "safe"), null);
  });
});
