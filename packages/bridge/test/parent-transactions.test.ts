import assert from "node:assert/strict";
import { type FederationFormat, local, main, rulesAt } from "@cambium/config";
import {
  concatBytes,
  decodePoint,
  fromHex,
  hash160,
  keccak256,
  SECP256K1_N,
  secp256k1,
  signHash,
  toHex,
  utf8,
} from "@cambium/primitives";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { fc } from "@cambium/test-utils/properties";
import { address, networks, payments, Transaction } from "bitcoinjs-lib";
import { addressText, outputScriptOf, type ParentAddress } from "../src/bitcoin/address.js";
import { legacyBaseInput, witnessBaseInput } from "../src/bitcoin/base-input.js";
import { flyoverRedeem } from "../src/bitcoin/flyover-script.js";
import { parseMultisig } from "../src/bitcoin/redeem-script.js";
import { joinChunks, parseScript, publicKeyHashOutput, pushData, tryParseScript } from "../src/bitcoin/script.js";
import { decodeSignature, encodeInputSignature, isLow, matchesKey } from "../src/bitcoin/signature.js";
import { legacySignatureHash, witnessSignatureHash } from "../src/bitcoin/signature-hash.js";
import {
  basicFault,
  encodeTransaction,
  hasWitness,
  makeOutput,
  type ParentTransaction,
  parseTransaction,
  transactionId,
} from "../src/bitcoin/transaction.js";
import { encodeVariable, variableLength } from "../src/bitcoin/variable-integer.js";
import { redeemScript } from "../src/federation/script.js";
import { genesisFederation } from "../src/model/federation.js";
import { BridgeSession } from "../src/session.js";

const bytes = (maxLength: number, minLength = 0): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength, maxLength }).map((array) => Uint8Array.from(array));

const PLAIN = { noNullPrototype: true };

function arbitraryTransaction(witnesses: boolean): fc.Arbitrary<ParentTransaction> {
  const input = fc.record(
    {
      txid: bytes(32, 32),
      index: fc.nat(0xffffffff),
      script: bytes(300),
      sequence: fc.nat(0xffffffff),
      witness: witnesses ? fc.array(bytes(300), { minLength: 1, maxLength: 4 }) : fc.constant([]),
    },
    PLAIN,
  );
  const output = fc.record({ value: fc.bigInt(0n, 2_100_000_000_000_000n), script: bytes(40) }, PLAIN);
  return fc.record(
    {
      version: fc.nat(0x7fffffff),
      inputs: fc.array(input, { minLength: 1, maxLength: 4 }),
      outputs: fc.array(output, { minLength: 1, maxLength: 4 }),
      lockTime: fc.nat(0xffffffff),
    },
    PLAIN,
  );
}

const anyTransaction = fc.boolean().chain(arbitraryTransaction);

describe("parent-chain transactions (spec/06b-3 §1)", () => {
  it("reads and writes as many outputs as fit in call data", () => {
    const output = { value: 0n, script: new Uint8Array(0) };
    const input = { txid: new Uint8Array(32), index: 0, script: new Uint8Array(0), sequence: 0, witness: [] };
    const outputs = new Array<typeof output>(200_000).fill(output);
    const encoded = encodeTransaction({ version: 1, inputs: [input], outputs, lockTime: 0 });
    assert.equal(encodeTransaction(parseTransaction(encoded)).length, encoded.length);
    assert.equal(joinChunks(parseScript(new Uint8Array(200_000))).length, 200_000);
  });

  it("are decoded and encoded as by bitcoinjs-lib", () => {
    fc.assert(
      fc.property(anyTransaction, (transaction) => {
        const raw = encodeTransaction(transaction);
        assert.deepEqual(parseTransaction(raw), transaction);
        const other = Transaction.fromBuffer(Buffer.from(raw));
        assert.equal(toHex(other.toBuffer()), toHex(raw));
        assert.equal(other.getId(), toHex(transactionId(transaction)));
        assert.equal(other.hasWitnesses(), hasWitness(transaction));
      }),
    );
  });

  it("are decoded with trailing bytes, and rejected if truncated", () => {
    fc.assert(
      fc.property(anyTransaction, bytes(10), fc.nat(), (transaction, more, cut) => {
        const raw = encodeTransaction(transaction);
        assert.deepEqual(parseTransaction(concatBytes(raw, more)), transaction);
        const short = raw.subarray(0, cut % raw.length);
        assert.throws(() => parseTransaction(short), { code: "PARENT_TRANSACTION" });
      }),
    );
  });

  it("have the signature hashes of bitcoinjs-lib", () => {
    const redeem = redeemScript(genesisFederation(local), local, rulesAt(local, 1));
    fc.assert(
      fc.property(arbitraryTransaction(false), fc.bigInt(0n, 2_100_000_000_000_000n), (transaction, value) => {
        const other = Transaction.fromBuffer(Buffer.from(encodeTransaction(transaction)));
        const script = Buffer.from(redeem);
        assert.equal(
          toHex(legacySignatureHash(transaction, 0, redeem)),
          toHex(other.hashForSignature(0, script, Transaction.SIGHASH_ALL)),
        );
        assert.equal(
          toHex(witnessSignatureHash(transaction, 0, redeem, value)),
          toHex(other.hashForWitnessV0(0, script, Number(value), Transaction.SIGHASH_ALL)),
        );
      }),
    );
  });

  it("must pass the basic checks", () => {
    const input = { txid: keccak256(utf8("a")), index: 0, script: fromHex(""), sequence: 0, witness: [] };
    const output = { value: 1n, script: fromHex("") };
    const sound: ParentTransaction = { version: 1, inputs: [input], outputs: [output], lockTime: 0 };
    assert.equal(basicFault(sound), undefined);
    const coinbase = { ...input, txid: new Uint8Array(32), index: 0xffffffff };
    const faults: [Partial<ParentTransaction>, string][] = [
      [{ inputs: [] }, "no inputs or no outputs"],
      [{ outputs: [] }, "no inputs or no outputs"],
      [{ inputs: [input, input] }, "spends an output twice"],
      [{ outputs: [{ ...output, value: -1n }] }, "output values"],
      [{ outputs: [output, { ...output, value: 2_100_000_000_000_000n }] }, "output values"],
      [{ inputs: [coinbase] }, "coinbase script length"],
      [{ inputs: [input, coinbase] }, "null outpoint"],
      [{ outputs: [{ ...output, script: new Uint8Array(1_000_001) }] }, "too large"],
    ];
    for (const [change, fault] of faults) assert.equal(basicFault({ ...sound, ...change }), fault);
    assert.equal(basicFault({ ...sound, inputs: [{ ...coinbase, script: fromHex("5151") }] }), undefined);
  });

  it("use variable-length integers for counts", () => {
    for (const [value, hex] of [
      [252n, "fc"],
      [253n, "fdfd00"],
      [65536n, "fe00000100"],
      [4294967296n, "ff0000000001000000"],
    ] as const) {
      assert.equal(toHex(encodeVariable(value)), hex);
      assert.equal(variableLength(value), hex.length / 2);
    }
  });
});

describe("parent-chain transactions in unusual forms", () => {
  const input = `${"11".repeat(32)}0000000000ffffffff`;
  const output = "010000000000000000";
  const read = (counts: string, rest: string) => parseTransaction(fromHex(`01000000${counts}${rest}00000000`));

  it("may have counts in longer forms, but not beyond the data", () => {
    for (const one of ["01", "fd0100", "fe01000000", "ff0100000000000000"]) {
      const { inputs, outputs } = read(one, `${input}01${output}`);
      assert.deepEqual([inputs.length, outputs.length], [1, 1]);
    }
    for (const many of ["02", "ff0100000001000000", "feffffffff", "ff01000080ffffffff"]) {
      assert.throws(() => read(many, `${input}01${output}`), { code: "PARENT_TRANSACTION" }, many);
    }
  });

  it("have no items if the 64th bit of the count is set", () => {
    const { inputs, outputs } = read("ff0100000000000080", `0101${input}01${output}00`);
    assert.deepEqual([inputs.length, outputs.length], [1, 1]);
  });

  it("cannot be created with invalid output values", () => {
    for (const value of [-1n, 0n, 2_100_000_000_000_000n]) assert.equal(makeOutput(value, fromHex("51")).value, value);
    for (const value of [-2n, 2_100_000_000_000_001n]) {
      assert.throws(() => makeOutput(value, fromHex("51")), { code: "PARENT_TRANSACTION" });
    }
  });
});

describe("parent-chain scripts", () => {
  it("split into chunks that join to the same bytes", () => {
    fc.assert(
      fc.property(bytes(120), (script) => {
        const chunks = tryParseScript(script);
        if (chunks !== undefined) assert.deepEqual(joinChunks(chunks), script);
      }),
    );
    assert.throws(() => parseScript(fromHex("0201")), { code: "PARENT_SCRIPT" });
    assert.deepEqual(parseScript(pushData(new Uint8Array(300)))[0]!.data, new Uint8Array(300));
  });

  it("pay to the addresses of bitcoinjs-lib", () => {
    for (const [network, other] of [
      [main, networks.bitcoin],
      [local, networks.regtest],
    ] as const) {
      const { context } = recordCall({ network, state: emptyState() });
      const session = new BridgeSession(context);
      for (const kind of ["key", "script"] as const) {
        const paid: ParentAddress = { kind, hash: hash160(utf8(kind)) };
        const text = addressText(session, paid);
        assert.equal(toHex(address.toOutputScript(text, other)), toHex(outputScriptOf(paid)));
      }
    }
  });

  it("are recognised as multisigs in every federation format, also behind a flyover prefix", () => {
    const federation = genesisFederation(main);
    const rules = rulesAt(main, 9_000_000);
    const keys = federation.members.map(({ btc }) => toHex(btc));
    const members = payments.p2ms({ m: 8, pubkeys: federation.members.map(({ btc }) => Buffer.from(btc)) }).output!;
    for (const format of [1000, 2000, 3000, 4000] as FederationFormat[]) {
      // Fifteen members with emergency keys exceed the limit of the old formats.
      const count = format === 1000 || format === 4000 ? 15 : 9;
      const own = { ...federation, format, members: federation.members.slice(0, count) };
      const redeem = redeemScript(own, main, rules);
      for (const script of [redeem, flyoverRedeem(keccak256(redeem), redeem)]) {
        const multisig = parseMultisig(script)!;
        assert.equal(multisig.threshold, Math.floor(count / 2) + 1);
        assert.equal(multisig.emergency, format !== 1000);
        assert.deepEqual(multisig.keys.map(toHex), keys.slice(0, count));
        if (count === 15) assert.equal(toHex(multisig.defaultScript), toHex(members));
      }
    }
    const plain = publicKeyHashOutput(hash160(utf8("other")));
    for (const script of [plain, fromHex("5151ae"), fromHex("0052ae51")])
      assert.equal(parseMultisig(script), undefined);
  });

  it("have empty slots for signatures", () => {
    const redeem = new Uint8Array(80).fill(0xae);
    assert.equal(toHex(legacyBaseInput(redeem, 2, false).script), `0000004c50${"ae".repeat(80)}`);
    assert.equal(toHex(legacyBaseInput(redeem, 2, true).script), `000000004c50${"ae".repeat(80)}`);
    assert.deepEqual(
      witnessBaseInput(redeem, 2).witness.map(({ length }) => length),
      [0, 0, 0, 0, 80],
    );
  });
});

describe("parent-chain signatures", () => {
  const key = keccak256(utf8("key"));
  const hash = keccak256(utf8("message"));

  it("match only the key that made them", () => {
    const signature = signHash(hash, key);
    const point = secp256k1.publicKey(key);
    assert.equal(matchesKey(hash, signature, point), true);
    assert.equal(matchesKey(hash, { r: signature.r, s: SECP256K1_N - signature.s }, point), true);
    assert.equal(isLow({ r: signature.r, s: SECP256K1_N - signature.s }), false);
    assert.equal(matchesKey(keccak256(hash), signature, point), false);
    assert.equal(matchesKey(hash, signature, secp256k1.publicKey(hash)), false);
    for (const bad of [0n, SECP256K1_N]) assert.equal(matchesKey(hash, { r: bad, s: signature.s }, point), false);
  });

  it("are DER sequences of two integers", () => {
    const signature = signHash(hash, key);
    const encoded = encodeInputSignature(signature).subarray(0, -1);
    assert.deepEqual(decodeSignature(encoded), { r: signature.r, s: signature.s });
    assert.deepEqual(decodeSignature(concatBytes(encoded, fromHex("0000"))), { r: signature.r, s: signature.s });
    assert.deepEqual(decodeSignature(fromHex("300902010102010202010f")), { r: 1n, s: 2n });
    assert.deepEqual(decodeSignature(fromHex("30810602010102 0102".replaceAll(" ", ""))), { r: 1n, s: 2n });
    assert.deepEqual(decodeSignature(fromHex("30060201ff020102")), { r: 255n, s: 2n });
    for (const hex of [
      "",
      "30",
      "3000",
      "3106020101020102",
      "300402010102",
      "300702020001020102",
      "3080020101020102",
    ]) {
      assert.equal(decodeSignature(fromHex(hex)), undefined, hex);
    }
  });

  it("verify against points in compressed, full and hybrid form", () => {
    const point = secp256k1.publicKey(key);
    const odd = point[63]! & 1;
    const forms: [number, boolean][] = [
      [4, true],
      [6 + odd, true],
      [7 - odd, false],
      [5, false],
    ];
    for (const [form, valid] of forms) {
      const decoded = decodePoint(concatBytes(Uint8Array.of(form), point));
      assert.equal(decoded === undefined ? undefined : toHex(decoded), valid ? toHex(point) : undefined);
    }
    assert.deepEqual(toHex(decodePoint(concatBytes(Uint8Array.of(2 + odd), point.subarray(0, 32)))!), toHex(point));
    assert.equal(decodePoint(fromHex("00")), undefined);
  });
});
