import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type AbiValue, concatBytes, fromHex, secp256k1, utf8 } from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { NativeContractError } from "../src/errors.js";
import { parseDerivationPath } from "../src/hd-wallet-utils/derivation-path.js";
import { deriveChild, formatExtendedPublicKey } from "../src/hd-wallet-utils/extended-public-key.js";
import { hdWalletUtils } from "../src/hd-wallet-utils/index.js";
import { callContext, callMethod, hexOf } from "./call-context.js";

const TPUB =
  "tpubD6NzVbkrYhZ4YHQqwWz3Tm1ESZ9AidobeyLG4mEezB6hN8gFFWrcjczyF77Lw3HEs6Rjd2R11BEJ8Y9ptfxx9DFknkdujp58mFMx9H5dc1r";
const XPUB =
  "xpub661MyMwAqRbcFMGNG2YcHvj3x63bAZN9U5cKikaiQ4zu2D1cvpnZYyXNR9nH62sGp4RR39Ui7SVQSq1PY4JbPuEuu5prVJJC3d5Pogft712";

const call = (name: string, inputs: string[], output: string, args: readonly AbiValue[]) =>
  callMethod(hdWalletUtils, { name, inputs, output }, args);
const base58Check = (hash: string, version: bigint) =>
  call("toBase58Check", ["bytes", "int256"], "string", [fromHex(hash), version]);
const derive = (key: string, path: string) =>
  call("deriveExtendedPublicKey", ["string", "string"], "string", [key, path]);
const extract = (key: string) => call("extractPublicKeyFromExtendedPublicKey", ["string"], "bytes", [key]);
const multisig = (min: bigint, keys: Uint8Array[]) =>
  call("getMultisigScriptHash", ["int256", "bytes[]"], "bytes", [min, keys]);

describe("HDWalletUtils (spec/04 §6.8)", () => {
  it("encodes base58check", () => {
    const hash = "0d3bf5f30dda7584645546079318e97f0e1d044f";
    assert.deepEqual(base58Check(hash, 111n), { gas: 13000, result: "mgivuh9jErcGdRr81cJ3A7YfgbJV7WNyZV" });
    for (const version of [-1n, 256n, 2n ** 40n]) assert.throws(() => base58Check(hash, version), NativeContractError);
    assert.throws(() => base58Check(hash.slice(2), 111n), NativeContractError);
  });

  it("derives extended public keys", () => {
    assert.deepEqual(derive(TPUB, "2/3/4"), {
      gas: 107000,
      result:
        "tpubDCGMkPKredy7oh6zw8f4ExWFdTgQCrAHToF1ytny3gbVy9GkUNK2Nqh7NbKbh8dkd5VtjUiLJPkbEkeg29NVHwxYwzHJFt9SazGLZrrU4Y4",
    });
    assert.equal(
      derive(TPUB, "2147483647").result,
      "tpubD8fY35uPCY1rUjMUZwhkGUFi33pwkffMEBaCsTSw1he2AbM6DMbPaRR2guvk5qTWDfE9ubFB5pzuUNnMtsqbCeKAAjfepSvEWyetyF9Q4fG",
    );
    for (const path of ["", "M/1", "1/", "/1", "1//2", "2147483648", "1'/2"]) {
      assert.throws(() => derive(TPUB, path), NativeContractError);
    }
    for (const key of ["", "tpub", `${TPUB}1`, TPUB.replace("D6N", "D6M"), `x${TPUB.slice(1)}`, "xpub".repeat(20000)]) {
      assert.throws(() => derive(key, "1"), NativeContractError);
    }
  });

  it("wraps the depth byte around", () => {
    const publicKey = fromHex("02be517550b9e3be7fe42c80932d51e88e698663b4926e598b269d050e87e34d8c");
    const key = {
      version: 0x0488b21e,
      depth: 255,
      parentFingerprint: new Uint8Array(4),
      childNumber: 0,
      chainCode: new Uint8Array(32),
      publicKey,
    };
    assert.equal(deriveChild(key, 1)?.depth, 0);
    assert.equal(derive(formatExtendedPublicKey(key), "1").result, formatExtendedPublicKey(deriveChild(key, 1)!));
  });

  it("parses levels as strict integers", () => {
    const parse = (path: string) => parseDerivationPath(utf8(path));
    assert.deepEqual(parse("0/+1/-0/007"), [0, 1, 0, 7]);
    assert.deepEqual(parse("٣/１２"), [3, 12]);
    assert.deepEqual(parse("1/2/3/4/5/6/7/8/9/10"), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const path of ["+1", "1/2/3/4/5/6/7/8/9/10/11", "1/-1/1", "1/+/1", "1/ 2/3", "1/2H/3", "𝟏", "1/𝟏/1"]) {
      assert.equal(parse(path), undefined);
    }
  });

  it("reads paths in bytes as the deployed client reads their text", () => {
    const isDigit = (character: string) => /^\p{Nd}$/u.test(character);
    const digit = (character: string): number => {
      let value = 0;
      while (isDigit(String.fromCharCode(character.charCodeAt(0) - value - 1))) value++;
      return value;
    };
    const level = (text: string): number => {
      const digits = text.replace(/^[+-]/, "").split("");
      if (digits.length === 0 || !digits.every(isDigit)) return Number.NaN;
      const value = digits.reduce((sum, character) => sum * 10 + digit(character), 0);
      return value > 0x7fffffff || (text.startsWith("-") && value > 0) ? Number.NaN : value;
    };
    const model = (bytes: Uint8Array): number[] | undefined => {
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
      const levels = text.split("/").map(level);
      if (levels.length > 10 || levels.includes(Number.NaN) || !isDigit(text.charAt(0))) return undefined;
      return levels;
    };
    const piece = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom("0", "1", "9", "2147483647", "٣", "٠٠", "१", "１", "/", "/", "-0", "+") },
      { weight: 1, arbitrary: fc.constantFrom("𝟏", "\ufeff", "½", "x", " ") },
    );
    const path = fc.tuple(
      fc.array(piece, { maxLength: 12 }).map((pieces) => utf8(pieces.join(""))),
      fc.option(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))),
    );
    fc.assert(
      fc.property(path, ([bytes, change]) => {
        if (change !== null && bytes.length > 0) bytes[change[0] % bytes.length] = change[1];
        assert.deepEqual(parseDerivationPath(bytes), model(bytes));
      }),
      { numRuns: runs(3000) },
    );
  });

  it("extracts public keys", () => {
    const { gas, result } = extract(XPUB);
    assert.equal(gas, 11300);
    assert.equal(hexOf(result), "02be517550b9e3be7fe42c80932d51e88e698663b4926e598b269d050e87e34d8c");
    assert.throws(() => extract("xpub"), NativeContractError);
  });

  describe("getMultisigScriptHash", () => {
    const uncompressed = Array.from({ length: 16 }, (_, i) =>
      concatBytes(Uint8Array.of(4), secp256k1.publicKey(fromHex((i + 1).toString(16).padStart(64, "0")))),
    );
    const compressed = uncompressed.map((key) => concatBytes(Uint8Array.of(2 + (key[64]! & 1)), key.subarray(1, 33)));

    const KNOWN_KEYS = `
      03b53899c390573471ba30e5054f78376c5f797fda26dde7a760789f02908cbad2
      027319afb15481dbeb3c426bcc37f9a30e7f51ceff586936d85548d9395bcc2344
      0355a2e9bf100c00fc0a214afd1bf272647c7824eb9cb055480962f0c382596a70
      02566d5ded7c7db1aa7ee4ef6f76989fb42527fcfdcddcd447d6793b7d869e46f7
      0294c817150f78607566e961b3c71df53a22022a80acbb982f83c0c8baac040adc
      0372cd46831f3b6afd4c044d160b7667e8ebf659d6cb51a825a3104df6ee0638c6
      0340df69f28d69eef60845da7d81ff60a9060d4da35c767f017b0dd4e20448fb44
      02ac1901b6fba2c1dbd47d894d2bd76c8ba1d296d65f6ab47f1c6b22afb53e73eb
      031aabbeb9b27258f98c2bf21f36677ae7bae09eb2d8c958ef41a20a6e88626d26
      0245ef34f5ee218005c9c21227133e8568a4f3f11aeab919c66ff7b816ae1ffeea
      02550cc87fa9061162b1dd395a16662529c9d8094c0feca17905a3244713d65fe8
      02481f02b7140acbf3fcdd9f72cf9a7d9484d8125e6df7c9451cfa55ba3b077265
      03f909ae15558c70cc751aff9b1f495199c325b13a9e5b934fd6299cd30ec50be8
      02c6018fcbd3e89f3cf9c7f48b3232ea3638eb8bf217e59ee290f5f0cfb2fb9259
      03b65694ccccda83cbb1e56b31308acd08e993114c33f66a456b627c2c1c68bed6`;

    it("hashes the script of known keys in sorted order", () => {
      const keys = KNOWN_KEYS.trim()
        .split(/\s+/)
        .map((key) => fromHex(key));
      const { gas, result } = multisig(8n, keys);
      assert.equal(gas, 20000 + 700 * 13);
      assert.equal(hexOf(result), "51f103320b435b5fe417b3f3e0f18972ccc710a0");
    });

    it("accepts compressed, uncompressed and hybrid keys", () => {
      const hybrid = concatBytes(Uint8Array.of(6 + (uncompressed[1]![64]! & 1)), uncompressed[1]!.subarray(1));
      const sorted = [compressed[0]!, compressed[1]!].sort((a, b) => Buffer.compare(a, b));
      const script = concatBytes(...[fromHex("51"), ...sorted.flatMap((key) => [fromHex("21"), key]), fromHex("52ae")]);
      const expected = createHash("ripemd160").update(createHash("sha256").update(script).digest()).digest("hex");
      assert.deepEqual(multisig(1n, [compressed[0]!, compressed[1]!]).gas, 20000);
      assert.equal(hexOf(multisig(1n, [compressed[0]!, compressed[1]!]).result), expected);
      assert.equal(hexOf(multisig(1n, [uncompressed[0]!, hybrid]).result), expected);
      const wrongParity = concatBytes(Uint8Array.of(13 - hybrid[0]!), hybrid.subarray(1));
      assert.throws(() => multisig(1n, [compressed[0]!, wrongParity]), NativeContractError);
    });

    it("rejects invalid counts and keys", () => {
      const [a, b] = [compressed[0]!, compressed[1]!];
      for (const min of [0n, -1n, 3n, 2n ** 32n + 1n]) assert.throws(() => multisig(min, [a, b]), NativeContractError);
      assert.throws(() => multisig(1n, [a]), NativeContractError);
      assert.throws(() => multisig(1n, compressed), NativeContractError);
      assert.throws(() => multisig(1n, [a, b.subarray(1)]), NativeContractError);
      assert.throws(() => multisig(1n, [a, fromHex(`02${"00".repeat(31)}05`)]), NativeContractError);
    });
  });

  it("fails at no cost without a method or with invalid arguments", () => {
    const context = callContext({});
    for (const data of [null, "", "83", "838c2a", "838c2a31", "00000000", "8ad13825"]) {
      const input = data === null ? null : fromHex(data);
      assert.equal(hdWalletUtils.gas(input, context), 0);
      assert.throws(() => hdWalletUtils.execute(input, context), NativeContractError);
    }
  });
});
