import assert from "node:assert/strict";
import {
  BRIDGE_ADDRESS,
  type FederationFormat,
  local,
  type NetworkConfig,
  rulesAt,
  UPGRADES,
  type UpgradeName,
} from "@cambium/config";
import { compareBytes, concatBytes, encodeRlp, fromHex, hash160, keccak256, signHash, utf8 } from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { publicKeyHashOutput, pushData, redeemHash, scriptHashOutput } from "../src/bitcoin/script.js";
import { encodeInputSignature } from "../src/bitcoin/signature.js";
import { legacySignatureHash } from "../src/bitcoin/signature-hash.js";
import { type ParentInput, type ParentTransaction, transactionId } from "../src/bitcoin/transaction.js";
import { withoutSignatures, withoutSignaturesBeforeRskip305 } from "../src/bitcoin/unsigned-form.js";
import { redeemScript } from "../src/federation/script.js";
import { activeSpender } from "../src/federation/spending.js";
import { genesisFederation } from "../src/model/federation.js";
import { classify } from "../src/peg-in/classification.js";
import { registerOwn, totalPaid } from "../src/peg-in/credit.js";
import { refund } from "../src/peg-in/refund.js";
import { BridgeSession } from "../src/session.js";
import { CELLS } from "../src/storage/cells.js";
import { compressed, type Signer, signer } from "./peg-world.js";

const MEMBERS = ["one", "two", "three"].map(signer).sort((a, b) => compareBytes(compressed(a), compressed(b)));
const PARENT_HEIGHT = 10;
const BLOCK = 1000;
const EMPTY = new Uint8Array(0);
const MULTISIG = { code: "PARENT_SCRIPT" };

/** The local network with this upgrade as its last one and a federation of this format. */
function networkOf(last: UpgradeName, format: FederationFormat, members = MEMBERS): NetworkConfig {
  const later = UPGRADES.slice(UPGRADES.indexOf(last) + 1);
  const publicKeys = members.map(compressed);
  return {
    ...local,
    upgrades: { ...local.upgrades, ...Object.fromEntries(later.map((name) => [name, -1])) },
    bridge: {
      ...local.bridge,
      genesisFederation: { ...local.bridge.genesisFederation, format, publicKeys },
    },
  };
}

function sessionOf(network: NetworkConfig, state: JournaledState = emptyState()): BridgeSession {
  return new BridgeSession(recordCall({ network, state, block: { number: BLOCK } }).context);
}

function redeemOf(network: NetworkConfig): Uint8Array {
  return redeemScript(genesisFederation(network), network, rulesAt(network, BLOCK));
}

function outputOf(network: NetworkConfig): Uint8Array {
  return scriptHashOutput(redeemHash(redeemOf(network), genesisFederation(network).format === 4000));
}

function input(script: Uint8Array, salt = 0): ParentInput {
  return { txid: keccak256(utf8(`spent ${salt}`)), index: 0, script, sequence: 0xffffffff, witness: [] };
}

function transactionOf(scripts: readonly Uint8Array[], outputs: ParentTransaction["outputs"]): ParentTransaction {
  return { version: 2, inputs: scripts.map(input), outputs, lockTime: 0 };
}

/**
 * The transaction with its first input signed by two members; `selector` goes between the signatures and the script.
 */
function signed(transaction: ParentTransaction, redeem: Uint8Array, ...selector: Uint8Array[]): ParentTransaction {
  const hash = legacySignatureHash(transaction, 0, redeem);
  const signature = (by: Signer): Uint8Array => encodeInputSignature(signHash(hash, by.privateKey));
  const elements = [EMPTY, ...MEMBERS.slice(0, 2).map(signature), ...selector, redeem];
  const [first, ...rest] = transaction.inputs;
  return { ...transaction, inputs: [{ ...first!, script: concatBytes(...elements.map(pushData)) }, ...rest] };
}

const UNPARSABLE = fromHex("02aa");
const KEY_INPUT = concatBytes(fromHex("0151"), pushData(compressed(MEMBERS[0]!)));
const ENOUGH = 2_000_000n;

describe("classification by scripts (spec/06b-3 §11)", () => {
  it("recognises a spend of the last retired federation by running its script with emergency keys", () => {
    const network = networkOf("hop401", 1000, ["four", "five"].map(signer));
    const retired = networkOf("hop401", 3000);
    const redeem = redeemOf(retired);
    const outputs = [{ value: ENOUGH, script: outputOf(network) }];
    const spending = signed(transactionOf([EMPTY], outputs), redeem, EMPTY);
    const state = emptyState();
    state.setStorageBytes(
      BRIDGE_ADDRESS,
      CELLS.lastRetiredScript,
      encodeRlp([scriptHashOutput(redeemHash(redeem, false))]),
    );
    assert.equal(classify(sessionOf(network, state), spending, PARENT_HEIGHT), "unknown");
    const changed = { ...spending, outputs: [{ ...outputs[0]!, value: ENOUGH + 1n }] };
    assert.equal(classify(sessionOf(network, state), changed, PARENT_HEIGHT), "peg-in");
    assert.equal(classify(sessionOf(network), spending, PARENT_HEIGHT), "peg-in");
  });

  it("checks inputs in order, up to the first that belongs to a federation", () => {
    for (const [upgrade, format] of [
      ["iris300", 2000],
      ["hop401", 3000],
    ] as const) {
      const network = networkOf(upgrade, format);
      const shown = concatBytes(fromHex("000000"), pushData(redeemOf(network)));
      const outputs = [{ value: ENOUGH, script: outputOf(network) }];
      const classOf = (...scripts: Uint8Array[]) =>
        classify(sessionOf(network), transactionOf(scripts, outputs), PARENT_HEIGHT);
      assert.equal(classOf(shown, UNPARSABLE), "peg-out-or-migration");
      assert.throws(() => classOf(UNPARSABLE, shown), MULTISIG);
      assert.throws(() => classOf(KEY_INPUT, UNPARSABLE), MULTISIG);
      assert.equal(classOf(KEY_INPUT), "peg-in");
    }
  });

  it("fails on an unparsable input unless an earlier one matches", () => {
    const network = networkOf("orchid", 1000);
    const outputs = [{ value: ENOUGH, script: outputOf(network) }];
    assert.throws(() => classify(sessionOf(network), transactionOf([UNPARSABLE], outputs), PARENT_HEIGHT), MULTISIG);
    const own = signed(transactionOf([EMPTY, UNPARSABLE], outputs), redeemOf(network));
    assert.equal(classify(sessionOf(network), own, PARENT_HEIGHT), "peg-out-or-migration");
  });

  it("fails if a live federation's script has no members' part, unless the transaction is a peg-in", () => {
    const network: NetworkConfig = { ...networkOf("iris300", 2000), parentChain: "test" };
    const pays = [{ value: ENOUGH, script: outputOf(network) }];
    const classOf = (script: Uint8Array, outputs: ParentTransaction["outputs"]) =>
      classify(sessionOf(network), transactionOf([script], outputs), PARENT_HEIGHT);
    assert.equal(classOf(KEY_INPUT, pays), "peg-in");
    assert.throws(() => classOf(KEY_INPUT, []), MULTISIG);
    assert.equal(classOf(concatBytes(fromHex("00"), pushData(redeemOf(network))), pays), "peg-in");
    const spender = activeSpender(sessionOf(network));
    assert.equal(spender.defaultRedeem, undefined);
    const session = sessionOf(network);
    const to = { kind: "key", hash: hash160(EMPTY) } as const;
    const build = (): void => refund(session, transactionOf([KEY_INPUT], pays), [spender], to, EMPTY, ENOUGH);
    assert.throws(build, { code: "UNSPENDABLE_COIN" });
  });

  it("fails on a P2PKH output with an opcode in place of the hash", () => {
    const odd = { value: 0n, script: fromHex("76a95188ac") };
    for (const [upgrade, height] of [
      ["orchid", PARENT_HEIGHT],
      ["hop401", PARENT_HEIGHT],
      ["reed800", 400],
    ] as const) {
      const network = networkOf(upgrade, 1000);
      const paid = { value: ENOUGH, script: outputOf(network) };
      const classOf = (...outputs: ParentTransaction["outputs"]) =>
        classify(sessionOf(network), transactionOf([KEY_INPUT], outputs), height);
      assert.equal(classOf(paid, { value: 0n, script: UNPARSABLE }), "peg-in");
      assert.throws(() => classOf(paid, odd), MULTISIG, upgrade);
      assert.throws(() => registerOwn(sessionOf(network), transactionOf([KEY_INPUT], [paid, odd])), MULTISIG, upgrade);
    }
  });
});

describe("two federations with one script", () => {
  it("both receive a payment, which counts twice", () => {
    const network = networkOf("papyrus200", 1000);
    const session = sessionOf(network);
    const federation = genesisFederation(network);
    session.storage.setOldFederation({ ...federation, creationBlock: 1 });
    session.storage.setNewFederation({ ...federation, creationBlock: 2 });
    const outputs = [{ value: ENOUGH, script: outputOf(network) }];
    assert.equal(totalPaid(session, transactionOf([KEY_INPUT], outputs)), 2n * ENOUGH);
  });
});

describe("transactions without their signatures (spec/06b-3 §2.1)", () => {
  const redeem = redeemOf(networkOf("hop401", 1000));
  const before = (...scripts: Uint8Array[]) => withoutSignaturesBeforeRskip305(transactionOf(scripts, []));
  const now = (...scripts: Uint8Array[]) => withoutSignatures(transactionOf(scripts, []));

  it("have empty slots for signatures", () => {
    const own = concatBytes(fromHex("0001aa01bb"), pushData(redeem));
    const base = concatBytes(fromHex("000000"), pushData(redeem));
    assert.deepEqual(now(own)?.inputs[0]?.script, base);
    assert.deepEqual(before(own)?.inputs[0]?.script, base);
  });

  it("are reconstructed for any script before RSKIP-305", () => {
    const program = concatBytes(fromHex("0014"), hash160(redeem));
    assert.throws(() => before(pushData(program)), MULTISIG);
    assert.equal(now(pushData(program)), undefined);
    for (const script of [publicKeyHashOutput(hash160(redeem)), fromHex("02aabbac")]) {
      assert.deepEqual(before(pushData(script))?.inputs[0]?.script, concatBytes(fromHex("0000"), pushData(script)));
      assert.equal(now(pushData(script)), undefined);
    }
    assert.equal(before(pushData(UNPARSABLE)), undefined, "no script");
    assert.equal(before(fromHex("51")), undefined, "no data");
  });

  it("are not reconstructed after an input that cannot be signed", () => {
    assert.equal(now(pushData(fromHex("51")), UNPARSABLE), undefined);
    assert.throws(() => now(concatBytes(fromHex("00"), pushData(redeem)), UNPARSABLE), MULTISIG);
  });

  it("are bounded, however many signatures a witness script claims to need", () => {
    const script = fromHex("04ffffff7f01aa51ae");
    const transaction = transactionOf([EMPTY], []);
    const inputs = transaction.inputs.map((own) => ({ ...own, witness: [EMPTY, script] }));
    assert.equal(withoutSignatures({ ...transaction, inputs }), undefined);
    assert.equal(transactionId({ ...transaction, inputs }).length, 32);
  });
});
