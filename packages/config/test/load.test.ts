import assert from "node:assert/strict";
import { ConfigError } from "../src/errors.js";
import { loadNetwork, NETWORKS, type NetworkConfig, rulesAt } from "../src/index.js";
import { networkToJson } from "../src/network-schema.js";

/** The JSON value that is written to a file: without undefined members, bytes or big integers. */
function written(network: (typeof NETWORKS)[keyof typeof NETWORKS]): Record<string, never> {
  return JSON.parse(JSON.stringify(networkToJson(network)));
}

async function problems(json: unknown): Promise<readonly string[]> {
  try {
    await loadNetwork(json);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    assert.equal(error.details.code, "INVALID_NETWORK");
    return error.details.code === "INVALID_NETWORK" ? error.details.problems : [];
  }
  return assert.fail("accepted");
}

describe("loadNetwork", () => {
  for (const network of Object.values(NETWORKS)) {
    it(`round-trips ${network.name}`, async () => {
      const json = written(network);
      const loaded = await loadNetwork(json);
      assert.deepEqual(written(loaded as typeof network), json);
      assert.deepEqual(rulesAt(loaded, 8_000_000), rulesAt(network, 8_000_000));
    });
  }

  it("names the boot nodes of the deployed network (spec/07 §A.1)", () => {
    const { main, test, local } = NETWORKS;
    const hosts = (network: NetworkConfig) => network.deployedWire?.bootNodes.map(({ host }) => host);
    assert.deepEqual([hosts(main)?.[0], hosts(main)?.at(-1)], ["bootstrap01.rsk.co", "bootstrap16.rsk.co"]);
    assert.deepEqual(
      [hosts(test)?.[0], hosts(test)?.at(-1)],
      ["bootstrap01.testnet.rsk.co", "bootstrap08.testnet.rsk.co"],
    );
    assert.deepEqual(
      [main, test, local].map((network) => [network.deployedWire?.port, network.deployedWire?.bootNodes.length]),
      [
        [5050, 16],
        [50505, 8],
        [50501, 0],
      ],
    );
    assert.ok(main.deployedWire?.bootNodes.every(({ port }) => port === 5050));
  });

  it("accepts boot nodes of the deployed wire, and a network without it", async () => {
    const deployedWire = { port: 5050, bootNodes: [{ host: "10.0.0.7", port: 5051 }] };
    assert.deepEqual((await loadNetwork({ extends: "local", deployedWire })).deployedWire, deployedWire);
    assert.equal((await loadNetwork({ extends: "main", deployedWire: null })).deployedWire, undefined);
    assert.deepEqual(await problems({ extends: "local", deployedWire: { bootNodes: [{ host: "", port: 0 }] } }), [
      "deployedWire.bootNodes[0].host: expected a host",
      "deployedWire.bootNodes[0].port: expected a whole number between 1 and 65535",
    ]);
  });

  it("extends a built-in network, member by member", async () => {
    const network = await loadNetwork({
      extends: "local",
      name: "three-node",
      networkId: 991,
      ruleHeights: { rskip144: 100 },
      upgrades: { cardamom1000: -1 },
      consensus: { minimumDifficulty: "7" },
      genesis: { accounts: [{ address: `0x${"ab".repeat(20)}`, balance: "340282366920938463463374607431768211456" }] },
    });
    assert.equal(network.name, "three-node");
    assert.equal(network.chainId, 33);
    assert.deepEqual(network.ruleHeights, { ...NETWORKS.local.ruleHeights, rskip144: 100 });
    assert.deepEqual(network.upgrades, { ...NETWORKS.local.upgrades, cardamom1000: -1 });
    assert.deepEqual(network.consensus, { ...NETWORKS.local.consensus, minimumDifficulty: 7n });
    assert.equal(network.genesis.accounts.length, 1);
    assert.equal(network.genesis.accounts[0]?.balance, 2n ** 128n);
    assert.deepEqual(network.genesis.extraData, NETWORKS.local.genesis.extraData);
  });

  it("removes an optional member of the base with null", async () => {
    const { genesis } = await loadNetwork({ extends: "main", genesis: { stateRoot: null } });
    assert.equal(genesis.stateRoot, undefined);
  });

  it("inherits a literal state root only together with its accounts", async () => {
    const rootOf = async (own: object) => (await loadNetwork({ extends: "test", ...own })).genesis.stateRoot;
    const literal = NETWORKS.test.genesis.stateRoot;
    assert.deepEqual(await rootOf({ genesis: { timestamp: 5 }, upgrades: { cardamom1000: 9_000_000 } }), literal);
    assert.equal(await rootOf({ genesis: { accounts: [] } }), undefined);
    const own = { accounts: [], stateRoot: `0x${"11".repeat(32)}` };
    assert.deepEqual(await rootOf({ genesis: own }), new Uint8Array(32).fill(0x11));
  });

  it("names an unknown base", async () => {
    await assert.rejects(
      loadNetwork({ extends: "mane" }),
      (error) => error instanceof ConfigError && error.code === "UNKNOWN_NETWORK" && /name=mane/.test(error.message),
    );
  });

  it("names the invalid member", async () => {
    const wrong: [unknown, string][] = [
      [{ chainId: 0 }, "chainId: expected a whole number between 1 and 109"],
      [{ chainId: 110 }, "chainId: expected a whole number between 1 and 109"],
      [{ consensus: { validPeriod: -1 } }, "consensus.validPeriod: expected a whole number of at least 0"],
      [{ consensus: { minimumDifficulty: 7 } }, "consensus.minimumDifficulty: expected a decimal number as a string"],
      [{ consensus: { difficultyDivisor: "0" } }, "consensus.difficultyDivisor: expected at least 1"],
      [
        { genesis: { accounts: [], difficulty: "0xff" } },
        "genesis.difficulty: expected a number that is not negative in two's complement; put 00 before it",
      ],
      [{ consensus: { gasLimt: 1 } }, "consensus.gasLimt: no such member"],
      [{ upgrades: { bahama: 1 } }, "upgrades.bahama: no such member"],
      [{ ruleHeights: { rskip144: -2 } }, "ruleHeights.rskip144: expected a whole number of at least -1"],
      [{ bridge: { feeGapPercent: 80 } }, "bridge.feeGapPercent: expected a decimal number as a string"],
      [
        { bridge: { oldFederationAddress: "35JUi1FxabGdhygLhnNUEFG4AgvpNMgxK2" } },
        "bridge.oldFederationAddress: expected an address of the parent chain",
      ],
      [{ genesis: { coinbase: "0x33" } }, "genesis.coinbase: expected an address of 20 bytes"],
      [{ genesis: { extraData: "horse" } }, "genesis.extraData: expected bytes as 0x hex"],
      [
        { genesis: { accounts: [{ address: `0x${"00".repeat(20)}` }] } },
        "genesis.accounts[0].balance: expected a decimal number as a string",
      ],
      [{ parentChain: "litecoin" }, "parentChain: expected main, test or regtest"],
    ];
    for (const [own, problem] of wrong) {
      assert.deepEqual(await problems({ extends: "local", ...(own as object) }), [problem]);
    }
  });

  it("requires an object, and every member if there is no base", async () => {
    const { reward: _, ...rest } = written(NETWORKS.local);
    const missing = await problems(rest);
    assert.equal(missing.length, 1);
    assert.match(missing[0]!, /^reward: /);
    for (const json of [null, 7, "main", []]) assert.match((await problems(json))[0]!, /^network: /);
  });

  it("lists all problems at once", async () => {
    assert.equal((await problems({ extends: "local", chainId: "33", networkId: -1 })).length, 2);
  });
});
