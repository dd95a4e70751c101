import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { fromHex, toHex } from "@cambium/primitives";
import { buildGenesisState, openState, orchidStateRoot } from "../src/index.js";
import { MemoryStore } from "./memory-store.js";

/** spec/01 §6.4. */
const roots = {
  main: "21de9a922f22eb925cefc6d4c994cb28e9ec36e7a45862105f79e4d97c0babfc",
  test: "45bce5168430c42b3d568331753f900a32457b4f3748697cbd8375ff4da72641",
  local: "9c13f6bf26a9d1b13b708b5da083cb8f4e948bb7f903174081ad95810d52723f",
  dev: "8300a21314eb0fb01e69be5ad90f1ef519c8982cfc08db3ed9b717f05572fda3",
} as const;

describe("genesis state", () => {
  for (const [name, network] of Object.entries(NETWORKS)) {
    it(`root of ${name}`, () => {
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

  it("old-format root of main is its header's", () => {
    const { root, nodes } = buildGenesisState(NETWORKS.main);
    const store = new MemoryStore();
    for (const { hash, bytes } of nodes) store.put(hash, bytes);
    assert.deepEqual(
      orchidStateRoot(openState(store, root)),
      fromHex("9fa70f12726ac738640a86754741bb3f5680520ccc7e6ae9d95ace566a67fe01"),
    );
  });
});
