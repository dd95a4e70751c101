import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, local, type NetworkConfig, rulesAt, UPGRADES, type UpgradeName } from "@cambium/config";
import { decodeRlpList, encodeBase58Check, fromHex, hash160, signHash, toHex, utf8 } from "@cambium/primitives";
import { publicKeyHashOutput, scriptHashOutput } from "../src/bitcoin/script.js";
import { encodeInputSignature } from "../src/bitcoin/signature.js";
import { legacySignatureHash } from "../src/bitcoin/signature-hash.js";
import { parseTransaction, transactionId } from "../src/bitcoin/transaction.js";
import { redeemScript, scriptHash } from "../src/federation/script.js";
import { genesisFederation } from "../src/model/federation.js";
import { CELLS } from "../src/storage/cells.js";
import { compressed, PegWorld, payment, signer } from "./peg-world.js";

const USER = signer("user1");
const SATOSHI = 10n ** 10n;
const SUPPLY = 21_000_000n * 10n ** 18n;

/** The local network with this upgrade as its last one and a federation of the first format. */
function upTo(last: UpgradeName): NetworkConfig {
  const later = UPGRADES.slice(UPGRADES.indexOf(last) + 1);
  return {
    ...local,
    upgrades: { ...local.upgrades, ...Object.fromEntries(later.map((name) => [name, -1])) },
    bridge: { ...local.bridge, genesisFederation: { ...local.bridge.genesisFederation, format: 1000 } },
  };
}

function federationOutput(network: NetworkConfig): Uint8Array {
  return scriptHashOutput(scriptHash(genesisFederation(network), network, rulesAt(network, 1)));
}

function whitelisted(world: PegWorld): void {
  const address = encodeBase58Check(Uint8Array.of(111, ...hash160(compressed(USER))));
  assert.deepEqual(
    world.methodBy(signer("auth-lock-whitelist"), "addOneOffLockWhitelistAddress", address, 500_000_000n),
    [],
  );
}

describe("the peg before later rules (spec/06b-3 §11)", () => {
  it("refunds peg-ins of senders who are not on the whitelist, without an event", () => {
    const network = upTo("orchid060");
    const world = new PegWorld(network);
    const transaction = payment(USER, [{ value: 2_000_000n, script: federationOutput(network) }], 1);
    assert.deepEqual(world.register(transaction), []);
    assert.equal(world.balance(BRIDGE_ADDRESS), SUPPLY);
    const [raw] = decodeRlpList(world.cell(CELLS.unconfirmedReleases)!);
    const refund = parseTransaction(raw!.bytes);
    assert.equal(refund.version, 1);
    assert.deepEqual(refund.outputs[0]!.script, publicKeyHashOutput(hash160(compressed(USER))));
    const [processed] = decodeRlpList(world.cell(CELLS.processedTransactions)!);
    assert.deepEqual(processed!.bytes, transactionId(transaction));
    assert.equal(world.cell(CELLS.unconfirmedReleasesWithHash), undefined);
  });

  it("accepts one peg-in per whitelist entry, and emits an event from papyrus200 on", () => {
    for (const [upgrade, logs] of [
      ["wasabi100", []],
      ["papyrus200", ["ec2232bdbe54a92238ce7a6b45d53fb31f919496c6abe1554be1cc8eddb6600a"]],
      ["iris300", ["44cdc782a38244afd68336ab92a0b39f864d6c0b2a50fa1da58cafc93cd2ae5a"]],
    ] as const) {
      const network = upTo(upgrade);
      const world = new PegWorld(network);
      whitelisted(world);
      const outputs = [{ value: 2_000_000n, script: federationOutput(network) }];
      const emitted = world.register(payment(USER, outputs, 1))!;
      assert.deepEqual(
        emitted.map(({ topics }) => toHex(topics[0]!)),
        logs,
        upgrade,
      );
      assert.equal(world.balance(USER.address), 2_000_000n * SATOSHI);
      world.register(payment(USER, outputs, 2));
      assert.equal(world.balance(USER.address), 2_000_000n * SATOSHI, "a second peg-in");
      assert.equal(world.coins().length, 1);
    }
  });

  it("pays requests individually, signs, and recognises its own transactions by their signatures", () => {
    const network = upTo("wasabi100");
    const world = new PegWorld(network);
    whitelisted(world);
    world.register(payment(USER, [{ value: 50_000_000n, script: federationOutput(network) }], 1));
    world.call(new Uint8Array(0), USER, 10_000_000n * SATOSHI);
    world.call(new Uint8Array(0), USER, 20_000_000n * SATOSHI);
    world.block += 10;
    const logs = world.method("updateCollections")!;
    assert.deepEqual(logs[0]!.topics.length, 1);
    assert.deepEqual(logs[0]!.topics[0]!.subarray(8), utf8("update_collections_topic"));
    // There is one UTXO for two requests, so the second waits for the change.
    assert.equal(decodeRlpList(world.cell(CELLS.releaseQueue)!).length, 2);
    world.block += 10;
    world.method("updateCollections");
    const [key, raw] = decodeRlpList(world.cell(CELLS.waitingForSignatures)!);
    const unsigned = parseTransaction(raw!.bytes);
    const redeem = redeemScript(genesisFederation(network), network, rulesAt(network, 1));
    const hash = legacySignatureHash(unsigned, 0, redeem);
    let released: Uint8Array | undefined;
    for (const name of ["federator1", "federator2"]) {
      const by = signer(name);
      const der = encodeInputSignature(signHash(hash, by.privateKey)).subarray(0, -1);
      const emitted = world.method("addSignature", compressed(by), [der], key!.bytes)!;
      assert.deepEqual(emitted[0]!.topics[0]!.subarray(13), utf8("add_signature_topic"));
      released = emitted[1] === undefined ? undefined : decodeRlpList(emitted[1].data)[1]!.bytes;
    }
    const signed = parseTransaction(released!);
    world.register(signed);
    assert.deepEqual(
      world.coins().map(({ txid, value }) => [toHex(txid), value]),
      [[toHex(transactionId(signed)), 40_000_000n]],
    );
    assert.equal(world.balance(BRIDGE_ADDRESS), SUPPLY - 20_000_000n * SATOSHI);
  });

  it("classifies a federation's unsigned spend as a peg-in only before iris300", () => {
    for (const [upgrade, isPegIn] of [
      ["papyrus200", true],
      ["iris300", false],
    ] as const) {
      const network = upTo(upgrade);
      const world = new PegWorld(network);
      whitelisted(world);
      const redeem = redeemScript(genesisFederation(network), network, rulesAt(network, 1));
      const paid = payment(USER, [{ value: 2_000_000n, script: federationOutput(network) }], 3);
      const script = Uint8Array.from([0, 0, 0, 0x4c, redeem.length, ...redeem]);
      world.register({ ...paid, inputs: [{ ...paid.inputs[0]!, script }] });
      // A peg-in comes from a multisig here and is refunded.
      assert.equal(world.coins().length, isPegIn ? 0 : 1, upgrade);
      const waiting = decodeRlpList(world.cell(CELLS.unconfirmedReleasesWithHash) ?? fromHex("c0"));
      assert.equal(waiting.length, isPegIn ? 3 : 0, upgrade);
    }
  });
});
