import assert from "node:assert/strict";
import {
  contractAddress,
  contractAddress2,
  fromHex,
  keccak256,
  publicKeyToAddress,
  toChecksumAddress,
  toHex,
} from "../src/index.js";

// EIP-55 and EIP-1191 (RSKIP-60) examples
const vectors: readonly (readonly [number | undefined, readonly string[]])[] = [
  [
    undefined,
    [
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
      "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
      "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    ],
  ],
  [
    30,
    [
      "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD",
      "0xFb6916095cA1Df60bb79ce92cE3EA74c37c5d359",
      "0xDBF03B407c01E7CD3cBea99509D93F8Dddc8C6FB",
      "0xD1220A0Cf47c7B9BE7a2e6ba89F429762E7B9adB",
    ],
  ],
  [
    31,
    [
      "0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd",
      "0xFb6916095CA1dF60bb79CE92ce3Ea74C37c5D359",
      "0xdbF03B407C01E7cd3cbEa99509D93f8dDDc8C6fB",
      "0xd1220a0CF47c7B9Be7A2E6Ba89f429762E7b9adB",
    ],
  ],
];

describe("addresses", () => {
  for (const [chainId, addresses] of vectors) {
    for (const address of addresses) {
      it(`checksum ${chainId ?? "without chain id"} ${address.slice(0, 10)}`, () => {
        assert.equal(toChecksumAddress(fromHex(address), chainId), address);
      });
    }
  }

  it("of public keys are the low bytes of their hash", () => {
    const key = Uint8Array.from({ length: 64 }, (_, i) => i);
    assert.equal(toHex(publicKeyToAddress(key)), toHex(keccak256(key)).slice(24));
  });

  it("of created contracts", () => {
    const sender = fromHex("6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0");
    assert.equal(toHex(contractAddress(sender, 0n)), "cd234a471b72ba2f1ccf0a70fcaba648a5eecd8d");
    assert.equal(toHex(contractAddress(sender, 1n)), "343c43a37d37dff08ae8c4a11544c718abb4fcf8");
  });

  // EIP-1014 examples
  it("of contracts created with a salt", () => {
    const address = (sender: string, salt: string, code: string) =>
      toHex(contractAddress2(fromHex(sender), fromHex(salt.padStart(64, "0")), keccak256(fromHex(code))));
    assert.equal(address("00".repeat(20), "", "00"), "4d1a2e2bb4f88f0250f26ffff098b0b30b26bf38");
    assert.equal(
      address("00000000000000000000000000000000deadbeef", "cafebabe", "deadbeef"),
      "60f3f640a8508fc6a86d45df051962668e1e8ac7",
    );
  });
});
