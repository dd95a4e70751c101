import assert from "node:assert/strict";
import { fromHex, toHex } from "@cambium/primitives";
import { atDepth } from "@cambium/test-utils/depth";
import { fc, runs } from "@cambium/test-utils/properties";
import { decryptKeystoreJson, encryptKeystoreJson } from "ethers";
import { AccountsError } from "../src/index.js";
import { decryptKey, encryptKey, readKeyFile, writeKeyFile } from "../src/key-file.js";
import { addressOfPrivateKey } from "../src/private-key.js";

const CHEAP = { n: 4, r: 1, p: 1 };
const KEY = fromHex("7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d");
const ADDRESS = toHex(addressOfPrivateKey(KEY));

/** The two examples of the Web3 Secret Storage definition; the passphrase is "testpassword". */
const PUBLISHED = {
  pbkdf2: {
    cipher: "aes-128-ctr",
    cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
    ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
    kdf: "pbkdf2",
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: "hmac-sha256",
      salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
    },
    mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
  },
  scrypt: {
    cipher: "aes-128-ctr",
    cipherparams: { iv: "83dbcc02d8ccb40e466191a123791e0e" },
    ciphertext: "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
    kdf: "scrypt",
    kdfparams: {
      dklen: 32,
      n: 262144,
      p: 8,
      r: 1,
      salt: "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19",
    },
    mac: "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
  },
};

function fileText(crypto: object, changes: object = {}): string {
  return JSON.stringify({
    version: 3,
    id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
    address: ADDRESS,
    crypto,
    ...changes,
  });
}

/** The scrypt example takes seconds: Node.js refuses its parameters, and the portable function is slow. */
const EXAMPLES = atDepth(["pbkdf2"] as const, ["pbkdf2", "scrypt"] as const);

describe("key files", () => {
  for (const kdf of EXAMPLES) {
    it(`reads the published ${kdf} example`, async () => {
      const crypto = PUBLISHED[kdf];
      assert.deepEqual(await decryptKey(readKeyFile(fileText(crypto)), "testpassword"), KEY);
      assert.equal(await decryptKey(readKeyFile(fileText(crypto)), "testpassworD"), undefined);
    });
  }

  it("exchanges key files with ethers in both directions", async () => {
    const text = writeKeyFile(await encryptKey(KEY, "pässword", CHEAP));
    assert.equal((await decryptKeystoreJson(text, "pässword")).privateKey, `0x${toHex(KEY)}`);
    const account = { address: `0x${ADDRESS}`, privateKey: `0x${toHex(KEY)}` };
    const theirs = await encryptKeystoreJson(account, "pässword", { scrypt: { N: 4, r: 1, p: 1 } });
    assert.deepEqual(await decryptKey(readKeyFile(theirs), "pässword"), KEY);
  });

  it("round-trips any key and passphrase", async () => {
    const keys = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((key) => key[0]! < 0xff && key.some(Boolean));
    await fc.assert(
      fc.asyncProperty(keys, fc.string(), async (key, passphrase) => {
        const file = readKeyFile(writeKeyFile(await encryptKey(key, passphrase, CHEAP)));
        assert.deepEqual(await decryptKey(file, passphrase), key);
        assert.equal(await decryptKey(file, `${passphrase}x`), undefined);
      }),
      { numRuns: runs(25) },
    );
  });

  it("does not contain the plain key", async () => {
    assert(!writeKeyFile(await encryptKey(KEY, "", CHEAP)).includes(toHex(KEY)));
  });

  it("rejects a file whose key does not match its address", async () => {
    const file = readKeyFile(fileText(PUBLISHED.pbkdf2, { address: "11".repeat(20) }));
    await assert.rejects(decryptKey(file, "testpassword"), AccountsError);
  });

  it("rejects malformed key files and excessive cost parameters", () => {
    const { scrypt } = PUBLISHED;
    const wrong = [
      "",
      "[]",
      fileText(scrypt, { version: 1 }),
      fileText(scrypt, { address: undefined }),
      fileText({ ...scrypt, cipher: "aes-128-cbc" }),
      fileText({ ...scrypt, kdf: "argon2" }),
      fileText({ ...scrypt, mac: "00" }),
      fileText({ ...scrypt, ciphertext: `${scrypt.ciphertext}00` }),
      fileText({ ...scrypt, kdfparams: { ...scrypt.kdfparams, n: 3 } }),
      fileText({ ...scrypt, kdfparams: { ...scrypt.kdfparams, n: 2 ** 30 } }),
      fileText({ ...scrypt, kdfparams: { ...scrypt.kdfparams, r: 2 ** 20 } }),
      fileText({ ...scrypt, kdfparams: { ...scrypt.kdfparams, p: 1000 } }),
      fileText({ ...scrypt, kdfparams: { ...scrypt.kdfparams, dklen: 16 } }),
      fileText({ ...PUBLISHED.pbkdf2, kdfparams: { ...PUBLISHED.pbkdf2.kdfparams, c: 1e12 } }),
    ];
    for (const text of wrong) assert.throws(() => readKeyFile(text), AccountsError, text);
  });
});
