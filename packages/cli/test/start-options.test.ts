import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { CliError } from "../src/errors.js";
import { miningAndWallet, type ServingOptions } from "../src/start-options.js";

const NONE: ServingOptions = {
  "http.host": "127.0.0.1",
  "http.port": "0",
  ws: true,
  "ws.port": "0",
  "rpc.limit": "0",
  "rpc.usage.stream": "usage",
  "rpc.usage.interval": "60",
};

function walletOf(flags: Partial<ServingOptions>, network: keyof typeof NETWORKS = "main"): boolean {
  return miningAndWallet({ ...NONE, ...flags }, NETWORKS[network]).wallet;
}

describe("the wallet", () => {
  it("is not opened to other machines by accident", () => {
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "node.example"]) {
      for (const flags of [{ "http.host": host }, { "ws.host": host }]) {
        assert.throws(
          () => walletOf({ wallet: true, ...flags }),
          (error) => error instanceof CliError && error.details.code === "OPTION_REQUIRES",
        );
        assert.equal(walletOf({ wallet: true, "wallet.allowPublic": true, ...flags }), true);
        assert.equal(walletOf(flags), false);
      }
    }
  });

  it("is enabled for programs on this machine, for known keys, and never with API keys", () => {
    for (const host of ["127.0.0.1", "127.8.8.8", "::1", "localhost", "::ffff:127.0.0.1"]) {
      assert.equal(walletOf({ wallet: true, "http.host": host }), true, host);
    }
    assert.equal(walletOf({ wallet: true, ws: false, "ws.host": "0.0.0.0" }), true);
    assert.equal(walletOf({ "http.host": "0.0.0.0" }, "local"), true);
    assert.equal(walletOf({ wallet: false, "http.host": "0.0.0.0" }, "local"), false);
    assert.equal(walletOf({ wallet: true, "http.host": "0.0.0.0", "rpc.keys": "keys.txt" }), true);
  });
});
