import assert from "node:assert/strict";
import { isPrivateKey } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { privateKeyFromRaw } from "@libp2p/crypto/keys";
import { Uint8ArrayList } from "uint8arraylist";
import { libp2pKey } from "../src/libp2p/host/private-key.js";

const raw = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter(isPrivateKey);

describe("the private key of libp2p", () => {
  it("equals the library's, in its public key and its signatures", async () => {
    await fc.assert(
      fc.asyncProperty(raw, fc.uint8Array(), async (bytes, message) => {
        const [own, expected] = [libp2pKey(bytes), privateKeyFromRaw(bytes)];
        assert.equal(own.publicKey.toString(), expected.publicKey.toString());
        const signature = await own.sign(new Uint8ArrayList(message, message));
        assert.deepEqual(signature, await expected.sign(new Uint8ArrayList(message, message)));
        assert.deepEqual(await own.sign(message), await expected.sign(message));
        assert(own.equals(expected) && !own.equals(undefined) && !own.equals(libp2pKey(bytes.map((byte) => byte ^ 1))));
      }),
      { numRuns: runs(200) },
    );
  });
});
