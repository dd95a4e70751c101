import assert from "node:assert/strict";
import { toData } from "@cambium/primitives";
import { DEFAULT_RPC_CONFIG as rpc } from "@cambium/rpc/config";
import { fakeArtifacts } from "@cambium/test-utils/api/fake-artifacts";
import { developerPart } from "../src/developer-part.js";

describe("what only a developer's node serves", () => {
  const options = { artifacts: fakeArtifacts(), keys: [new Uint8Array(32).fill(1)], rpc };

  it("is for this machine", () => {
    const { developer } = developerPart(options);
    assert.equal(developer?.artifacts, options.artifacts);
    assert.equal(toData(developer.keys[0]!.address), "0x1a642f0e3c3af545e7acbd38b07251b3990914f1");
  });

  it("is not for other machines, for holders of API keys, or on any other node", () => {
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "node.example.org"]) {
      assert.deepEqual(developerPart({ ...options, rpc: { ...rpc, http: { ...rpc.http, host } } }), {}, host);
    }
    for (const auth of [{ keys: ["open-sesame"] }, { keys: [], redis: "redis://127.0.0.1" }]) {
      assert.deepEqual(developerPart({ ...options, rpc: { ...rpc, auth } }), {});
    }
    assert.deepEqual(developerPart({ ...options, artifacts: undefined }), {});
  });
});
