import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { toHex } from "@cambium/primitives";
import { DEFAULT_RPC_CONFIG } from "@cambium/rpc";
import { pino } from "pino";
import { openAccounts } from "../src/accounts.js";
import { type NodeOptions, networkDefaults } from "../src/options.js";

const LOGGER = pino({ level: "silent" });
const COW = "cd2a3d9f938e13cd947ec05abc7fe734df8dd826";
const MINER = "ec4ddeb4380ad69b3e509baad9f158cdf4e4681d";

function options(name: keyof typeof NETWORKS, changes: Partial<NodeOptions> = {}): NodeOptions {
  const network = NETWORKS[name];
  const common = { network, dataDir: "/nonexistent", rpc: DEFAULT_RPC_CONFIG, version: "Test/0" };
  return { ...common, ...networkDefaults(network), ...changes };
}

describe("openAccounts", () => {
  it("opens a wallet on public networks only if enabled", () => {
    for (const name of ["main", "test"] as const) {
      assert.equal(openAccounts(options(name), LOGGER), undefined);
      assert.deepEqual(openAccounts(options(name, { wallet: true }), LOGGER)?.addresses(), []);
    }
  });

  it("adds the well-known keys on development networks", () => {
    const onLocal = openAccounts(options("local"), LOGGER)!.addresses().map(toHex);
    assert.deepEqual([onLocal.length, onLocal[0], onLocal[10]], [11, COW, MINER]);
    const onDev = openAccounts(options("dev"), LOGGER)!.addresses().map(toHex);
    assert.deepEqual(onDev, onLocal.slice(0, 10));
    assert.equal(openAccounts(options("local", { wallet: false }), LOGGER), undefined);
  });

  it("opens no wallet if JSON-RPC requires API keys", () => {
    const rpc = { ...DEFAULT_RPC_CONFIG, auth: { keys: ["secret"] } };
    assert.equal(openAccounts(options("local", { rpc, wallet: true }), LOGGER), undefined);
  });
});
