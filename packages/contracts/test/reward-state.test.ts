import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, local, main, type NetworkConfig, REWARD_ADDRESS, REWARD_SENDER, test } from "@cambium/config";
import { encodeRlp, fromHex, leftPad, toHex, utf8 } from "@cambium/primitives";
import { accountKey, buildGenesisState, cellKey, JournaledState, openState } from "@cambium/state";
import type { BlockHeader } from "@cambium/types";
import { encodeFederation, type FederationMember, genesisFederation } from "../src/bridge/federation.js";
import { keyAddress } from "../src/key-address.js";
import { FederatorAddresses } from "../src/reward/federators.js";
import { createRewardContract } from "../src/reward/index.js";
import { encodePaymentData, MINING_FEE_TOPIC, pay } from "../src/reward/payment.js";
import { emptyState, recordCall } from "./native-call.js";

const cell = (name: string): Uint8Array => leftPad(utf8(name), 32);

/** State roots after empty blocks by one miner, block 0 first. */
function rootsOfEmptyBlocks(network: NetworkConfig, last: number, miner: Uint8Array): string[] {
  const genesis = buildGenesisState(network);
  const nodes = new Map(genesis.nodes.map(({ hash, bytes }) => [toHex(hash), bytes]));
  const state = new JournaledState(openState({ get: (hash) => nodes.get(toHex(hash)) }, genesis.root));
  const contract = createRewardContract(network);
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
  it("gives the roots of the test network's first blocks (§12.11)", () => {
    assert.deepEqual(rootsOfEmptyBlocks(test, 3, new Uint8Array(20)), [
      "45bce5168430c42b3d568331753f900a32457b4f3748697cbd8375ff4da72641",
      "2e03cbe3db74f3296c6e0d25be37df392dae68b33b667536e2c6379a70dee772",
      "fb3ed9da59f2349f996bbcbb667b66257a5ae27b292cf7695dc4cf2b6d6b230b",
      "cb694600670b9ea518c8b0d2c7ea391727663e98729e1badcd8a064b4814e982",
    ]);
  });

  it("gives the roots of empty blocks on the local network (§12.12)", () => {
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

  it("keeps its cells under the keys of §5.1", () => {
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

  it("is the log of RemascFeesPayerTest", () => {
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

describe("federators that the reward contract pays (§7)", () => {
  const btc = fromHex("03a5e32151f974c35c5d08af36a8d6af0593248e8e4adca7ed0148192eb2f5d1bf");
  const rsk = fromHex("02f3b5fb3121932db9450121b0a37f3f051dc8b3fd5f1ea5e7cf726947d8f69c28");

  it("have the addresses of their keys (§7.3)", () => {
    assert.equal(toHex(keyAddress(btc)), "131c7c821b0e4a1ab570feed952d9304e03fddd1");
    assert.equal(toHex(keyAddress(rsk)), "54a948b3d76ce84e5c7b4b3cd01f2af1f18d41e0");
  });

  it("are those of the genesis federations, in member order (§7.5)", () => {
    const ends: [NetworkConfig, number, string, string][] = [
      [main, 15, "1888fa870b97a4845a6a1f7eee4ebb507dbe0967", "f74b7e0d5bdd14eaedf725bb1549ce14abeb71dd"],
      [test, 4, "4495768e683423a4299d6a7f02a0689a6ff5a0a4", "9a3bfdea2245738dd5f25453d13742350a4f1c6e"],
      [local, 3, "6b045752f4d650a510a353bbf7e52988331e7f5b", "138161cda86b55c0de1bc3a0adef974633c85fbe"],
    ];
    for (const [network, count, first, last] of ends) {
      const { context } = recordCall({ network, state: emptyState() });
      const addresses = new FederatorAddresses(network).at(context.state, 1, context.rules);
      assert.equal(addresses.length, count);
      assert.equal(toHex(addresses[0]!), first);
      assert.equal(toHex(addresses.at(-1)!), last);
    }
  });

  /** A state with a new federation of one member, created at `creationBlock`, and the genesis one as the old. */
  function withChange(network: NetworkConfig, creationBlock: number, multiKey: boolean, old = true): JournaledState {
    const member: FederationMember = multiKey ? { btc, rsk, mst: btc } : { btc, rsk: btc, mst: btc };
    const federation = { format: 1000, creationTimeMillis: 5, creationBlock, members: [member] } as const;
    const state = emptyState();
    const write = (name: string, value: Uint8Array): void => state.setStorageBytes(BRIDGE_ADDRESS, cell(name), value);
    write("newFederation", encodeFederation(federation, multiKey));
    if (multiKey) write("newFederationFormatVersion", fromHex("8203e8"));
    if (old) write("oldFederation", encodeFederation(genesisFederation(network), false));
    return state;
  }

  function paid(network: NetworkConfig, state: JournaledState, executing: number): string[] {
    const { context } = recordCall({ network, state, block: { number: executing } });
    const matured = executing - network.reward.maturity;
    return new FederatorAddresses(network).at(state, matured, context.rules).map(toHex);
  }

  it("change when the matured block reaches the activation age, by height (§7.2)", () => {
    const cases: [NetworkConfig, number, number][] = [
      [main, 2_000_000, 18500],
      [main, 5_468_000, 40320],
      [test, 4_000_000, 60],
      [test, 4_015_800, 120],
      [test, 6_110_487, 2400],
      [local, 1000, 150],
    ];
    for (const [network, executing, age] of cases) {
      const matured = executing - network.reward.maturity;
      const young = withChange(network, matured - age + 1, true);
      assert.notEqual(paid(network, young, executing).length, 1, `${network.name} ${executing}, too young`);
      assert.equal(paid(network, withChange(network, matured - age, true), executing).length, 1);
      assert.equal(paid(network, withChange(network, matured - age + 1, true, false), executing).length, 1);
    }
  });

  it("have the address of the node key from RSKIP-415", () => {
    const before = withChange(main, 1, true);
    assert.deepEqual(paid(main, before, 6_223_699), ["131c7c821b0e4a1ab570feed952d9304e03fddd1"]);
    assert.deepEqual(paid(main, before, 6_223_700), ["54a948b3d76ce84e5c7b4b3cd01f2af1f18d41e0"]);
    const singleKey = withChange(main, 1, false);
    assert.deepEqual(paid(main, singleKey, 6_223_700), ["131c7c821b0e4a1ab570feed952d9304e03fddd1"]);
  });

  it("are read anew when the stored federation changes", () => {
    const addresses = new FederatorAddresses(local);
    const state = withChange(local, 1, true);
    const { context } = recordCall({ network: local, state, block: { number: 500 } });
    assert.equal(addresses.at(state, 490, context.rules).length, 1);
    state.setStorageBytes(BRIDGE_ADDRESS, cell("newFederation"), encodeFederation(genesisFederation(local), true));
    assert.equal(addresses.at(state, 490, context.rules).length, 3);
  });
});
