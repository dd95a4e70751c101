import assert from "node:assert/strict";
import type { ChainReader } from "@cambium/chain";
import { main, type NetworkConfig, test } from "@cambium/config";
import { fromHex, toData } from "@cambium/primitives";
import { DEFAULT_API_CONFIG } from "../src/config.js";
import { chainConfiguration, forkId } from "../src/objects/chain-configuration.js";
import { openOver } from "./support/real-api.js";

const GENESIS_HASH = new Uint8Array(32).fill(7);

describe("eth_config", () => {
  function configuration(network: NetworkConfig, best: number) {
    const genesis = { hash: GENESIS_HASH };
    const chain = { network, genesis, best: () => ({ header: { number: best } }) } as unknown as ChainReader;
    return chainConfiguration({ chain, config: DEFAULT_API_CONFIG });
  }
  const heights = (network: NetworkConfig, best: number) => {
    const { current, next, last } = configuration(network, best);
    return [current, next, last].map((fork) => fork?.activationBlock);
  };

  it("names the activation before the best block, the next and the last one", () => {
    assert.deepEqual(heights(main, 0), [0, 3_397, 8_804_200]);
    assert.deepEqual(heights(main, 3_396), [0, 3_397, 8_804_200]);
    assert.deepEqual(heights(main, 3_397), [3_397, 370_000, 8_804_200]);
    assert.deepEqual(heights(main, 8_804_199), [8_052_200, 8_804_200, 8_804_200]);
    assert.deepEqual(heights(main, 8_804_200), [8_804_200, undefined, undefined]);
    // One rule of the test network activates apart from its upgrade.
    assert.deepEqual(heights(test, 2_581_800), [2_581_800, 3_103_000, 7_604_200]);
  });

  it("lists upgrades that are active, scheduled and never active", () => {
    const { upgrades } = configuration(main, 8_052_200);
    const of = (name: string) => upgrades.find((upgrade) => upgrade.name === name);
    assert.deepEqual(of("reed800"), { name: "reed800", height: 8_052_200, active: true });
    assert.deepEqual(of("vetiver900"), { name: "vetiver900", height: 8_804_200, active: false });
    assert.deepEqual(of("cardamom1000"), { name: "cardamom1000", height: null, active: false });
  });

  it("lists contracts with the names of EIP-7910, from their activation on", () => {
    const names = (best: number) => {
      const { precompiles, systemContracts } = configuration(main, best).current!;
      return [Object.keys(precompiles), Object.keys(systemContracts)];
    };
    assert.deepEqual(names(0), [
      ["ECREC", "ID", "MODEXP", "RIPEMD160", "SHA256"],
      ["BRIDGE", "REMASC"],
    ]);
    assert.deepEqual(names(9_000_000), [
      [
        "BLAKE2F",
        "BN254_ADD",
        "BN254_MUL",
        "BN254_PAIRING",
        "ECREC",
        "ID",
        "MODEXP",
        "RIPEMD160",
        "SECP256K1_ADD",
        "SECP256K1_MUL",
        "SHA256",
      ],
      ["BLOCK_HEADER", "BRIDGE", "ENVIRONMENT", "HD_WALLET_UTILS", "REMASC"],
    ]);
    const { precompiles, systemContracts } = configuration(main, 9_000_000).current!;
    assert.equal(precompiles.BN254_PAIRING, `0x${"8".padStart(40, "0")}`);
    assert.equal(systemContracts.BRIDGE, `0x${"1000006".padStart(40, "0")}`);
  });

  it("identifies the rules by the fork hash, whose values for Ethereum are in EIP-2124", () => {
    const genesis = fromHex("d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3");
    assert.equal(forkId(genesis, [0]), "0xfc64ec04");
    assert.equal(forkId(genesis, [0, 1_150_000]), "0x97c2c34c");
    assert.equal(forkId(genesis, [0, 1_150_000, 1_920_000]), "0x91d1f948");
    const { current, next } = configuration(main, 3_396);
    assert.deepEqual([current?.forkId, next?.forkId], [forkId(GENESIS_HASH, []), forkId(GENESIS_HASH, [3_397])]);
  });

  it("is served with the limits of the node", async () => {
    const { call, real } = await openOver({ timeout: 1_234, logs: { maxLogs: 5, unlimitedRange: 6, maxBlocks: 7 } });
    const answer = await call("eth_config");
    assert.deepEqual([answer.network, answer.genesis], ["local", toData(real.chain.genesis.hash)]);
    assert.equal(answer.current.chainId, "0x21");
    assert.equal(answer.limits.timeout, 1_234);
    assert.deepEqual(answer.limits.logs, { maxLogs: 5, unlimitedRange: 6, maxBlocks: 7 });
    assert.equal(answer.limits.maxCodeSize, 24_576);
  });
});
