import assert from "node:assert/strict";
import { keccak256, utf8 } from "@cambium/primitives";
import { decoding, type FuzzTarget, textOf } from "@cambium/test-utils/fuzz-target";
import { AccountsError } from "../../src/index.js";
import { encryptKey, readKeyFile, writeKeyFile } from "../../src/key-file.js";

export const targets: Readonly<Record<string, FuzzTarget>> = {
  "key-file": decoding({
    seeds: async () => {
      const encrypted = await encryptKey(keccak256(utf8("cow")), "secret", { n: 2, r: 1, p: 1 });
      const pbkdf2 = {
        ...encrypted,
        derivation: { kdf: "pbkdf2", iterations: 1, salt: encrypted.iv, length: 32 } as const,
      };
      return [encrypted, pbkdf2].map((file) => utf8(writeKeyFile(file)));
    },
    words: ["kdfparams", "scrypt", "pbkdf2", "dklen", "hmac-sha256", "__proto__"],
    decode: (input) => readKeyFile(textOf(input)),
    refusals: [AccountsError],
    check: (file) => assert.deepEqual(readKeyFile(writeKeyFile(file)), file),
  }),
};
