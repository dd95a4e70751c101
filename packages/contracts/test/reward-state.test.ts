import assert from "node:assert/strict";
import { local, type NetworkConfig, REWARD_ADDRESS, REWARD_SENDER, test } from "@cambium/config";
import { encodeRlp, fromHex, leftPad, toHex, utf8 } from "@cambium/primitives";
import { accountKey, buildGenesisState, cellKey, JournaledState, openState } from "@cambium/state";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import type { BlockHeader } from "@cambium/types";
import { createRewardContract } from "../src/reward/index.js";
import { encodePaymentData, MINING_FEE_TOPIC, pay } from "../src/reward/payment.js";
import { genesisFederators } from "./genesis-federators.js";

const cell = (name: string): Uint8Array => leftPad(utf8(name), 32);

/** State roots after empty blocks by one miner, from block 0. */
function rootsOfEmptyBlocks(network: NetworkConfig, last: number, miner: Uint8Array): string[] {
  const genesis = buildGenesisState(network);
  const nodes = new Map(genesis.nodes.map(({ hash, bytes }) => [toHex(hash), bytes]));
  const state = new JournaledState(openState({ get: (hash) => nodes.get(toHex(hash)) }, genesis.root));
  const contract = createRewardContract(genesisFederators(network));
  const roots = [toHex(genesis.root)];
  for (let number = 1; number <= last; number++) {
    state.incrementNonce(REWARD_SENDER);
    const ancestors = {
      hash: () => new Uint8Array(32),
      header: () => ({ number: 0, hash: new Uint8Array(32), coinbase: miner, paidFees: 0n, uncleCount: 0 }) as never,
      uncles: (): readonly BlockHeader[] => [],
      totalDifficulty: () => undefined,
    };
    const { context } = recordCall({
      network,
      state,
      block: { number, ancestors },
      transaction: { isReward: true, sender: REWARD_SENDER },
    });
    contract.execute(null, context);
    state.transfer(REWARD_SENDER, REWARD_ADDRESS, 0n);
    roots.push(toHex(state.commit().root));
  }
  return roots;
}

describe("reward contract's state", () => {
  it("computes the roots of the test network's first blocks (§12.11)", () => {
    assert.deepEqual(rootsOfEmptyBlocks(test, 3, new Uint8Array(20)), [
      "45bce5168430c42b3d568331753f900a32457b4f3748697cbd8375ff4da72641",
      "2e03cbe3db74f3296c6e0d25be37df392dae68b33b667536e2c6379a70dee772",
      "fb3ed9da59f2349f996bbcbb667b66257a5ae27b292cf7695dc4cf2b6d6b230b",
      "cb694600670b9ea518c8b0d2c7ea391727663e98729e1badcd8a064b4814e982",
    ]);
  });

  it("computes the roots of empty blocks on the local network (§12.12)", () => {
    const roots = rootsOfEmptyBlocks(local, 16, fromHex("11".repeat(20)));
    const expected: Record<number, string> = {
      0: "9c13f6bf26a9d1b13b708b5da083cb8f4e948bb7f903174081ad95810d52723f",
      1: "f276a3a8c9c4eb4dcbbfb9bf6965f36dc611b815614c0d7cd06e15b8890c272c",
      2: "1db03c4e692b9270b09988de288420d22773a69f7203777b923243e2890b4c81",
      14: "46164577f50a78b5d00e4eea550c860a7da334119811c4a7d20cf1d5ba588df1",
      15: "5f44cf05f01ba04332d9444c67e1aa04c0b7bb7a37beed25c12db2e27901e9c6",
      16: "30bee9d825cd647c5db30829ba9c055dc1cfaa3aa733d27c1a0f75d0fe3f6cf0",
    };
    for (const [number, root] of Object.entries(expected)) assert.equal(roots[Number(number)], root, `block ${number}`);
  });

  it("stores its cells under the keys of §5.1", () => {
    const prefix = "00611cb96d0a346b10bab9000000000000000000000000000000000100000800";
    const keys: Record<string, string> = {
      rewardBalance: "1d242c927b891e2e5c5f72657761726442616c616e6365",
      burnedBalance: "a023f597b2e3276acd6f6275726e656442616c616e6365",
      federationBalance: "d3de36df1a4dc7dac3d766656465726174696f6e42616c616e6365",
      siblings: "5a7de95ffc33d519294c7369626c696e6773",
      brokenSelectionRule: "6ba3bce4fb65f5fae98062726f6b656e53656c656374696f6e52756c65",
    };
    for (const [name, rest] of Object.entries(keys)) {
      assert.equal(toHex(cellKey(accountKey(REWARD_ADDRESS), cell(name))), prefix + rest);
    }
  });
});

describe("reward payment log (§8.1)", () => {
  it("encodes its data as RLP", () => {
    assert.equal(toHex(encodePaymentData(fromHex("0102"), 7n)), "c482010207");
    const hash = fromHex("11".repeat(32));
    assert.equal(toHex(encodePaymentData(hash, 0n)), `e2a0${"11".repeat(32)}80`);
    assert.equal(toHex(encodePaymentData(hash, 1234567890123456789n)), `eaa0${"11".repeat(32)}88112210f47de98115`);
  });

  it("matches the log of RemascFeesPayerTest", () => {
    const call = recordCall({ network: local, state: emptyState() });
    pay(call.context, fromHex("0102"), 7n, fromHex("6c386a4b26f73c802f34673f7248bb118f97424a"));
    const { address, topics, data } = call.logs[0]!;
    assert.equal(
      toHex(encodeRlp([address, topics, data])),
      "f85f940000000000000000000000000000000001000008f842a0000000000000000000000000000000006d696e696e675f6665655f746f706963a00000000000000000000000006c386a4b26f73c802f34673f7248bb118f97424a85c482010207",
    );
    assert.equal(MINING_FEE_TOPIC.length, 32);
  });
});
