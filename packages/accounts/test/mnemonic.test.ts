import assert from "node:assert/strict";
import { toChecksumAddress, toData } from "@cambium/primitives";
import { HDNodeWallet, Mnemonic } from "ethers";
import { mnemonicKeys } from "../src/index.js";

const PHRASES = [
  "test test test test test test test test test test test junk",
  "legal winner thank year wave sausage worth useful legal winner thank yellow",
  "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong",
];

describe("keys of a mnemonic", () => {
  for (const phrase of PHRASES) {
    it(`are those of other wallets: ${phrase.split(" ").at(-1)}`, () => {
      const keys = mnemonicKeys(`  ${phrase.replace(" ", "  ")} `, 12);
      assert.equal(keys.length, 12);
      const root = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(phrase), "m/44'/60'/0'/0");
      for (const [i, { privateKey, address }] of keys.entries()) {
        const expected = root.deriveChild(i);
        assert.equal(toData(privateKey), expected.privateKey);
        assert.equal(toChecksumAddress(address), expected.address);
      }
    });
  }
});
