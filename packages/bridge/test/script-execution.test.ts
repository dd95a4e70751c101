import assert from "node:assert/strict";
import { type FederationFormat, local, rulesAt } from "@cambium/config";
import { compareBytes, concatBytes, fromHex, signHash } from "@cambium/primitives";
import { pushData, redeemHash, scriptHashOutput, witnessProgram } from "../src/bitcoin/script.js";
import { satisfies } from "../src/bitcoin/script-execution.js";
import { encodeInputSignature } from "../src/bitcoin/signature.js";
import { legacySignatureHash } from "../src/bitcoin/signature-hash.js";
import type { ParentTransaction } from "../src/bitcoin/transaction.js";
import { redeemScript } from "../src/federation/script.js";
import { genesisFederation } from "../src/model/federation.js";
import { compressed, type Signer, signer } from "./peg-world.js";

const MEMBERS = ["one", "two", "three"].map(signer).sort((a, b) => compareBytes(compressed(a), compressed(b)));
const EMERGENCY = ["four", "five", "six"].map(signer).sort((a, b) => compareBytes(compressed(a), compressed(b)));
const DELAY = 500;
const EMPTY = new Uint8Array(0);

function redeemOf(format: FederationFormat): Uint8Array {
  const members = MEMBERS.map((by) => ({ btc: compressed(by), rsk: compressed(by), mst: compressed(by) }));
  const emergency = { publicKeys: EMERGENCY.map(compressed), activationDelay: DELAY };
  const network = { ...local, bridge: { ...local.bridge, emergency } };
  return redeemScript({ ...genesisFederation(network), members, format }, network, rulesAt(network, 1));
}

/** Two inputs and one output; the second input is the one under test. */
const SPENDING: ParentTransaction = {
  version: 2,
  inputs: [0, 1].map((index) => ({ txid: new Uint8Array(32), index, script: EMPTY, sequence: DELAY, witness: [] })),
  outputs: [{ value: 7n, script: fromHex("51") }],
  lockTime: 0,
};
const POSITION = 1;

function signature(by: Signer, redeem: Uint8Array, type = 1, transaction = SPENDING): Uint8Array {
  const hash = legacySignatureHash(transaction, POSITION, redeem, type);
  return concatBytes(encodeInputSignature(signHash(hash, by.privateKey)).subarray(0, -1), Uint8Array.of(type));
}

/** Whether these elements and the script satisfy an output that pays to the script's hash. */
function spends(redeem: Uint8Array, elements: readonly Uint8Array[], transaction = SPENDING): boolean {
  const script = concatBytes(...elements.map(pushData), pushData(redeem));
  const inputs = transaction.inputs.map((input, i) => (i === POSITION ? { ...input, script } : input));
  return satisfies({ ...transaction, inputs }, POSITION, scriptHashOutput(redeemHash(redeem, false)));
}

describe("script execution (spec/06b-3 §11)", () => {
  it("requires the members' signatures in key order, after one empty element", () => {
    const redeem = redeemOf(1000);
    const [first, second, third] = MEMBERS.map((by) => signature(by, redeem)) as [Uint8Array, Uint8Array, Uint8Array];
    assert.equal(spends(redeem, [EMPTY, first, second]), true);
    assert.equal(spends(redeem, [EMPTY, first, third]), true);
    assert.equal(spends(redeem, [EMPTY, second, first]), false);
    assert.equal(spends(redeem, [EMPTY, first]), false);
    assert.equal(spends(redeem, [Uint8Array.of(1), first, second]), false);
    assert.equal(spends(redeem, [EMPTY, first, EMPTY]), false);
    assert.equal(spends(redeem, [EMPTY, first, signature(EMERGENCY[0]!, redeem)]), false);
  });

  it("chooses the branch of a script with emergency keys by the last element", () => {
    for (const format of [2000, 3000] as const) {
      const redeem = redeemOf(format);
      const members = MEMBERS.slice(1).map((by) => signature(by, redeem));
      const others = EMERGENCY.slice(1).map((by) => signature(by, redeem));
      assert.equal(spends(redeem, [EMPTY, ...members, EMPTY]), true, `${format}`);
      assert.equal(spends(redeem, [EMPTY, ...members, Uint8Array.of(0x80)]), true, "negative zero");
      assert.equal(spends(redeem, [EMPTY, ...members, Uint8Array.of(1)]), false);
      assert.equal(spends(redeem, [EMPTY, ...members]), false);
      assert.equal(spends(redeem, [EMPTY, ...others, Uint8Array.of(1)]), true, "after the delay");
      assert.equal(spends(redeem, [EMPTY, ...others, EMPTY]), false);
    }
  });

  it("enforces the delay of emergency keys (BIP-112)", () => {
    const redeem = redeemOf(3000);
    for (const [version, sequence, waited] of [
      [2, DELAY, true],
      [2, DELAY - 1, false],
      [1, DELAY, false],
      [2, DELAY + 2 ** 22, false],
      [2, DELAY + 2 ** 31, false],
      [2, DELAY + 2 ** 16, true],
    ] as const) {
      const inputs = SPENDING.inputs.map((input) => ({ ...input, sequence }));
      const transaction = { ...SPENDING, version, inputs };
      const signatures = EMERGENCY.slice(0, 2).map((by) => signature(by, redeem, 1, transaction));
      assert.equal(spends(redeem, [EMPTY, ...signatures, Uint8Array.of(1)], transaction), waited, `${sequence}`);
    }
  });

  it("allows the changes that each signature type leaves open", () => {
    const redeem = redeemOf(1000);
    const outputs = [...SPENDING.outputs, { value: 8n, script: fromHex("52") }];
    for (const [type, mayChange] of [
      [1, { output: false, input: false }],
      [2, { output: true, input: false }],
      [0x81, { output: false, input: true }],
      [0x82, { output: true, input: true }],
    ] as const) {
      const signatures = MEMBERS.slice(0, 2).map((by) => signature(by, redeem, type));
      const elements = [EMPTY, ...signatures];
      assert.equal(spends(redeem, elements), true, `type ${type}`);
      assert.equal(spends(redeem, elements, { ...SPENDING, outputs }), mayChange.output, `outputs, type ${type}`);
      const [other, own] = SPENDING.inputs;
      const inputs = [{ ...other!, index: 9 }, own!];
      assert.equal(spends(redeem, elements, { ...SPENDING, inputs }), mayChange.input, `inputs, type ${type}`);
    }
    // Under SINGLE without a matching output, every transaction has the same hash.
    const loose = MEMBERS.slice(0, 2).map((by) => signature(by, redeem, 3));
    assert.equal(spends(redeem, [EMPTY, ...loose], { ...SPENDING, lockTime: 9 }), true);
    const bound = { ...SPENDING, outputs };
    const single = MEMBERS.slice(0, 2).map((by) => signature(by, redeem, 3, bound));
    assert.equal(spends(redeem, [EMPTY, ...single], bound), true);
    assert.equal(spends(redeem, [EMPTY, ...single], { ...bound, outputs: [outputs[1]!, outputs[1]!] }), true);
    assert.equal(spends(redeem, [EMPTY, ...single], { ...bound, outputs: [outputs[0]!, outputs[0]!] }), false);
  });

  it("rejects signatures that are not strictly encoded", () => {
    const redeem = redeemOf(1000);
    const [first, second] = MEMBERS.map((by) => signature(by, redeem)) as [Uint8Array, Uint8Array];
    const type = first.at(-1)!;
    const padded = Uint8Array.from([0x30, first[1]! + 1, ...first.subarray(2, -1), 0, type]);
    assert.equal(spends(redeem, [EMPTY, padded, second]), false);
    for (const unknown of [0, 4, 0x41]) {
      assert.equal(spends(redeem, [EMPTY, signature(MEMBERS[0]!, redeem, unknown), second]), false, `type ${unknown}`);
    }
  });

  it("removes pushes of the signatures from the script they sign", () => {
    const signed = concatBytes(fromHex("75"), redeemOf(1000));
    const [first, second] = MEMBERS.map((by) => signature(by, signed)) as [Uint8Array, Uint8Array];
    const redeem = concatBytes(pushData(first), signed);
    assert.equal(spends(redeem, [EMPTY, first, second]), true);
    assert.equal(spends(redeem, [EMPTY, second, signature(MEMBERS[2]!, signed)]), false);
  });

  it("accepts any witness program, but no script above 520 bytes", () => {
    const program = witnessProgram(redeemOf(4000));
    assert.equal(spends(program, []), true);
    assert.equal(spends(concatBytes(fromHex("0020"), new Uint8Array(32)), []), false);
    const long = concatBytes(...Array.from({ length: 521 }, () => fromHex("51")));
    assert.equal(spends(long, []), false);
    assert.equal(spends(long.subarray(1), []), true);
  });

  it("fails on non-push inputs, on other opcodes, and on unclosed branches", () => {
    const output = scriptHashOutput(redeemHash(fromHex("51"), false));
    const withScript = (hex: string): ParentTransaction => ({
      ...SPENDING,
      inputs: SPENDING.inputs.map((input) => ({ ...input, script: fromHex(hex) })),
    });
    assert.equal(satisfies(withScript("0151"), POSITION, output), true);
    for (const hex of ["", "51", "0151760051", "0251"]) {
      assert.equal(satisfies(withScript(hex), POSITION, output), false, hex);
    }
    for (const hex of ["76", "5163", "516351", "67", "68", "75", "ac"]) {
      assert.equal(spends(fromHex(hex), [Uint8Array.of(1)]), false, hex);
    }
    assert.equal(spends(fromHex("63516751680075"), [Uint8Array.of(1)]), true);
  });
});
