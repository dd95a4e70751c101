import assert from "node:assert/strict";
import { type FederationFormat, local, rulesAt } from "@cambium/config";
import { compareBytes, signHash, toHex } from "@cambium/primitives";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { legacyBaseInput, witnessBaseInput } from "../src/bitcoin/base-input.js";
import { parseScript } from "../src/bitcoin/script.js";
import { encodeInputSignature } from "../src/bitcoin/signature.js";
import { legacySignatureHash, witnessSignatureHash } from "../src/bitcoin/signature-hash.js";
import { type ParentTransaction, transactionId } from "../src/bitcoin/transaction.js";
import { encodeVariable } from "../src/bitcoin/variable-integer.js";
import { redeemScript } from "../src/federation/script.js";
import { genesisFederation } from "../src/model/federation.js";
import { isFullySigned, signInputs } from "../src/peg-out/signing.js";
import { BridgeSession } from "../src/session.js";
import { compoundCell } from "../src/storage/cells.js";
import { compressed, type Signer, signer } from "./peg-world.js";

const SIGNERS = ["one", "two", "three", "four", "five"]
  .map(signer)
  .sort((a, b) => compareBytes(compressed(a), compressed(b)));
const THRESHOLD = 3;
const VALUE = 70_000n;

/** One input of a federation with five members, which needs three signatures. */
class Release {
  readonly session = new BridgeSession(recordCall({ network: local, state: emptyState() }).context);
  transaction: ParentTransaction;
  private readonly redeem: Uint8Array;

  constructor(private readonly format: FederationFormat) {
    const members = SIGNERS.map((by) => ({ btc: compressed(by), rsk: compressed(by), mst: compressed(by) }));
    this.redeem = redeemScript({ ...genesisFederation(local), members, format }, local, rulesAt(local, 1));
    const form =
      format === 4000
        ? witnessBaseInput(this.redeem, THRESHOLD)
        : legacyBaseInput(this.redeem, THRESHOLD, format !== 1000);
    const input = { txid: new Uint8Array(32), index: 0, sequence: 0xffffffff, ...form };
    this.transaction = {
      version: 2,
      inputs: [input],
      outputs: [{ value: 1n, script: new Uint8Array(1) }],
      lockTime: 0,
    };
    const values = compoundCell("releasesOutpointsValues", toHex(transactionId(this.transaction)));
    this.session.storage.write(values, encodeVariable(VALUE));
  }

  private signatureOf(by: Signer): { r: bigint; s: bigint } {
    const hash =
      this.format === 4000
        ? witnessSignatureHash(this.transaction, 0, this.redeem, VALUE)
        : legacySignatureHash(this.transaction, 0, this.redeem);
    return signHash(hash, by.privateKey);
  }

  sign(...signers: readonly number[]): void {
    for (const i of signers) {
      const by = SIGNERS[i]!;
      const { transaction, counts } = signInputs(this.session, this.transaction, compressed(by), [
        this.signatureOf(by),
      ]);
      assert.equal(counts, true);
      this.transaction = transaction;
    }
  }

  /** The signer of each slot of the input, "" for an empty one; checks that the input ends with the redeem script. */
  slots(): string {
    const { script, witness } = this.transaction.inputs[0]!;
    const items = witness.length > 0 ? [...witness] : parseScript(script).map(({ data }) => data!);
    assert.deepEqual(items.pop(), this.redeem);
    const signatures = SIGNERS.map((by) => toHex(encodeInputSignature(this.signatureOf(by))));
    return items.map((item) => (item.length === 0 ? "-" : signatures.indexOf(toHex(item)))).join("");
  }
}

describe("surplus signatures (spec/06b-3 §8)", () => {
  it("have no slot in a script without emergency keys", () => {
    const release = new Release(1000);
    release.sign(4, 0);
    assert.equal(release.slots(), "-04-");
    assert.equal(isFullySigned(release.transaction), false);
    release.sign(2);
    assert.equal(release.slots(), "-024");
    assert.equal(isFullySigned(release.transaction), true);
    assert.throws(() => release.sign(1), { code: "METHOD_FAILED" });
  });

  for (const format of [2000, 3000, 4000] as const) {
    it(`overwrite the branch selector in format ${format}, once`, () => {
      const release = new Release(format);
      release.sign(4, 0);
      assert.equal(release.slots(), "-04--");
      release.sign(2);
      assert.equal(release.slots(), "-024-");
      assert.equal(isFullySigned(release.transaction), true);
      release.sign(1);
      assert.equal(release.slots(), "-0124");
      assert.equal(isFullySigned(release.transaction), true);
      assert.throws(() => release.sign(3), { code: "METHOD_FAILED" });
    });
  }
});
