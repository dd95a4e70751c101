import assert from "node:assert/strict";
import { NETWORKS, REWARD_ADDRESS, REWARD_SENDER } from "@cambium/config";
import { fromHex, leftPad, toHex, utf8 } from "@cambium/primitives";
import { MemoryStore } from "@cambium/test-utils/memory-store";
import { buildGenesisState, JournaledState, openState } from "../src/index.js";
import { orchidStateRoot } from "./orchid-state-root.js";

/** spec/01 §6.4. */
const roots = {
  main: "21de9a922f22eb925cefc6d4c994cb28e9ec36e7a45862105f79e4d97c0babfc",
  test: "45bce5168430c42b3d568331753f900a32457b4f3748697cbd8375ff4da72641",
  local: "9c13f6bf26a9d1b13b708b5da083cb8f4e948bb7f903174081ad95810d52723f",
  dev: "8300a21314eb0fb01e69be5ad90f1ef519c8982cfc08db3ed9b717f05572fda3",
} as const;

describe("genesis state", () => {
  for (const [name, network] of Object.entries(NETWORKS)) {
    it(`has the root of ${name}`, () => {
      const { root, nodes } = buildGenesisState(network);
      assert.equal(toHex(root), roots[name as keyof typeof roots]);
      const store = new MemoryStore();
      for (const { hash, bytes } of nodes) store.put(hash, bytes);
      const view = openState(store, root);
      const accounts = [...view.accounts()];
      assert.equal(
        accounts.reduce((sum, { balance }) => sum + balance, 0n),
        network.genesis.accounts.reduce((sum, { balance }) => sum + balance, 0n),
      );
    });
  }

  it("leads to the roots of the test network's first blocks, which hold only reward transactions", () => {
    // spec/05 §12.11; the root of block 3 was observed on the network.
    const { root, nodes } = buildGenesisState(NETWORKS.test);
    const store = new MemoryStore();
    for (const { hash, bytes } of nodes) store.put(hash, bytes);
    const siblings = leftPad(utf8("siblings"), 32);
    let last = root;
    for (const expected of [
      "2e03cbe3db74f3296c6e0d25be37df392dae68b33b667536e2c6379a70dee772",
      "fb3ed9da59f2349f996bbcbb667b66257a5ae27b292cf7695dc4cf2b6d6b230b",
      "cb694600670b9ea518c8b0d2c7ea391727663e98729e1badcd8a064b4814e982",
    ]) {
      const state = new JournaledState(openState(store, last));
      state.incrementNonce(REWARD_SENDER);
      state.setStorageBytes(REWARD_ADDRESS, siblings, Uint8Array.of(0xc0));
      const committed = state.commit();
      assert.equal(toHex(committed.root), expected);
      committed.state.save(store);
      last = committed.root;
    }
  });

  it("has the old-format root that main's header contains", () => {
    const { root, nodes } = buildGenesisState(NETWORKS.main);
    const store = new MemoryStore();
    for (const { hash, bytes } of nodes) store.put(hash, bytes);
    assert.deepEqual(
      orchidStateRoot(openState(store, root)),
      fromHex("9fa70f12726ac738640a86754741bb3f5680520ccc7e6ae9d95ace566a67fe01"),
    );
  });
});
