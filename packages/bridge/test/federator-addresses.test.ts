import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, local, main, type NetworkConfig, test } from "@cambium/config";
import { fromHex, leftPad, toHex, utf8 } from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { keyAddress } from "../src/federation/key-address.js";
import { FederatorAddresses } from "../src/index.js";
import { encodeFederation, type FederationMember, genesisFederation } from "../src/model/federation.js";

const cell = (name: string): Uint8Array => leftPad(utf8(name), 32);

describe("federators paid by the reward contract (§7)", () => {
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

  /**
   * A state with a new federation of one member, created at `creationBlock`, and the genesis federation as the old one.
   */
  function withChange(network: NetworkConfig, creationBlock: number, multiKey: boolean, old = true): JournaledState {
    const member: FederationMember = multiKey ? { btc, rsk, mst: btc } : { btc, rsk: btc, mst: btc };
    const federation = { format: 1000, creationTimeMillis: 5n, creationBlock, members: [member] } as const;
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

  it("are read again when the stored federation changes", () => {
    const addresses = new FederatorAddresses(local);
    const state = withChange(local, 1, true);
    const { context } = recordCall({ network: local, state, block: { number: 500 } });
    assert.equal(addresses.at(state, 490, context.rules).length, 1);
    state.setStorageBytes(BRIDGE_ADDRESS, cell("newFederation"), encodeFederation(genesisFederation(local), true));
    assert.equal(addresses.at(state, 490, context.rules).length, 3);
  });
});
