import assert from "node:assert/strict";
import { NETWORKS } from "@cambium/config";
import { CliError } from "../src/errors.js";
import { type Given, valuesOf } from "../src/flags/flag.js";
import { miningAndWallet } from "../src/mining-options.js";
import { START_FLAGS } from "../src/start-flags.js";

type GivenFlags = { [N in keyof typeof START_FLAGS]?: Given };

function walletOf(flags: GivenFlags, network: keyof typeof NETWORKS = "main"): boolean {
  return miningAndWallet(valuesOf(START_FLAGS, flags), NETWORKS[network]).wallet;
}

describe("the wallet", () => {
  it("is not opened to other machines by accident", () => {
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "node.example"]) {
      for (const flags of [{ "http.host": host }, { "ws.host": host }]) {
        assert.throws(
          () => walletOf({ wallet: true, ...flags }),
          (error) => error instanceof CliError && error.details.code === "OPTION_REQUIRES",
        );
        assert.equal(walletOf({ wallet: true, "wallet.allow-public": true, ...flags }), true);
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
