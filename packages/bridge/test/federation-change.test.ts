import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, local, rulesAt } from "@cambium/config";
import { DatabaseError } from "@cambium/database";
import { decodeRlpItem, decodeRlpList, encodeRlp, fromHex, numberToBytes, signHash, toHex } from "@cambium/primitives";
import { scriptHashOutput } from "../src/bitcoin/script.js";
import { encodeInputSignature } from "../src/bitcoin/signature.js";
import { witnessSignatureHash } from "../src/bitcoin/signature-hash.js";
import { type ParentTransaction, parseTransaction, transactionId } from "../src/bitcoin/transaction.js";
import { redeemScript, scriptHash } from "../src/federation/script.js";
import { encodeFederation, type Federation, genesisFederation, sortMembers } from "../src/model/federation.js";
import { decodeUtxos, encodeUtxos } from "../src/model/utxo.js";
import { CELLS } from "../src/storage/cells.js";
import { compressed, errorOf, PegWorld, payment, signer } from "./peg-world.js";

const RULES = rulesAt(local, 1);
const MEMBERS = ["next1", "next2", "next3"].map(signer);
const COMMITTED = 20;
const NEXT: Federation = {
  format: 4000,
  creationTimeMillis: 1_700_000_000_000n,
  creationBlock: COMMITTED,
  members: sortMembers(
    MEMBERS.map((member) => ({ btc: compressed(member), rsk: compressed(member), mst: compressed(member) })),
  ),
};
const GENESIS = genesisFederation(local);
const COMMIT_FAILED = "ab26567e87284faa001c12145bc6434c48ed0f307ab75ac435880958f7c2110d";

function outputOf(federation: Federation): Uint8Array {
  return scriptHashOutput(scriptHash(federation, local, RULES));
}

/** A bridge that holds one UTXO, with a federation that has just been committed. */
function proposed(network = local): PegWorld {
  const world = new PegWorld(network);
  world.mine(new Uint8Array(32), 350);
  world.register(payment(signer("user1"), [{ value: 100_000_000n, script: outputOf(GENESIS) }], 1));
  world.state.setStorageBytes(BRIDGE_ADDRESS, CELLS.proposedFederation, encodeFederation(NEXT, true));
  const version = encodeRlp(numberToBytes(NEXT.format));
  world.state.setStorageBytes(BRIDGE_ADDRESS, CELLS.proposedFederationFormatVersion, version);
  world.block = COMMITTED;
  return world;
}

function hashIn(world: PegWorld, key: Uint8Array): string | undefined {
  const cell = world.cell(key);
  return cell === undefined ? undefined : toHex(decodeRlpItem(cell).bytes);
}

/** The only created transaction that waits for confirmations. */
function waiting(world: PegWorld): ParentTransaction {
  const items = decodeRlpList(world.cell(CELLS.unconfirmedReleasesWithHash)!);
  assert.equal(items.length, 3);
  return parseTransaction(items[0]!.bytes);
}

/** Confirms the waiting transaction and removes it from the releases to sign. */
function confirm(world: PegWorld): void {
  world.block += 3;
  world.method("updateCollections");
  world.state.setStorageBytes(BRIDGE_ADDRESS, CELLS.waitingForSignatures, fromHex("c0"));
}

function funded(network = local): PegWorld {
  const world = proposed(network);
  world.method("updateCollections");
  const fund = waiting(world);
  assert.equal(hashIn(world, CELLS.svpFundHash), toHex(transactionId(fund)));
  assert.deepEqual(fund.outputs[0], { value: 500_000n, script: outputOf(NEXT) });
  assert.equal(fund.outputs[1]!.value, 500_000n);
  confirm(world);
  world.registerWithWitness(fund);
  assert.equal(world.cell(CELLS.svpFundHash), undefined);
  assert.deepEqual(
    world.coins().map(({ value }) => value),
    [fund.outputs[2]!.value],
  );
  return world;
}

function spendToSign(world: PegWorld): { key: Uint8Array; spend: ParentTransaction } {
  const [key, raw] = decodeRlpList(world.cell(CELLS.svpSpendWaitingForSignatures)!);
  return { key: key!.bytes, spend: parseTransaction(raw!.bytes) };
}

function replacedFederation(network = local): PegWorld {
  const world = funded(network);
  world.method("updateCollections");
  world.registerWithWitness(spendToSign(world).spend);
  return world;
}

describe("change of the federation (spec/06b-2 §3, spec/06b-3 §5.2, §7)", () => {
  it("drops a proposed federation after its validation period", () => {
    const world = proposed();
    world.block = COMMITTED + 125;
    const logs = world.method("updateCollections")!;
    assert.equal(toHex(logs.at(-1)!.topics[0]!), COMMIT_FAILED);
    assert.equal(world.cell(CELLS.proposedFederation), undefined);
    assert.equal(world.cell(CELLS.proposedFederationFormatVersion), undefined);
  });

  it("lets the proposed federation sign for the funds it received", () => {
    const world = funded();
    world.method("updateCollections");
    const { key, spend } = spendToSign(world);
    assert.deepEqual(spend.outputs[0]!.script, outputOf(GENESIS));
    assert.equal(hashIn(world, CELLS.svpSpendHash), toHex(transactionId(spend)));
    const scripts = spend.inputs.map(({ witness }) => witness.at(-1)!);
    assert.deepEqual(scripts[0], redeemScript(NEXT, local, RULES));
    const logCounts = MEMBERS.slice(0, 2).map((member) => {
      const signatures = scripts.map((script, i) => {
        const hash = witnessSignatureHash(spend, i, script, 500_000n);
        return encodeInputSignature(signHash(hash, member.privateKey)).subarray(0, -1);
      });
      return world.methodBy(member, "addSignature", compressed(member), signatures, key)!.length;
    });
    assert.deepEqual(logCounts, [1, 2]);
    assert.equal(world.cell(CELLS.svpSpendWaitingForSignatures), undefined);
    const member = compressed(signer("federator1"));
    assert.deepEqual(world.method("addSignature", member, [fromHex("3006020101020101")], key), []);
  });

  it("makes the proposed federation the new one when its transaction is registered", () => {
    const world = replacedFederation();
    assert.equal(world.cell(CELLS.proposedFederation), undefined);
    assert.deepEqual(world.cell(CELLS.newFederation), encodeFederation(NEXT, true));
    assert.deepEqual(world.cell(CELLS.oldFederation), encodeFederation(GENESIS, true));
    assert.deepEqual(world.coins(), []);
    assert.equal(decodeUtxos(world.cell(CELLS.oldFederationUtxos)!).length, 2);
    assert.equal(toHex(world.cell(CELLS.nextFederationCreationHeight)!), COMMITTED.toString(16));
  });

  it("migrates UTXOs during the migration period, then drops the old federation", () => {
    const world = replacedFederation();
    world.block = COMMITTED + 150 + 15;
    world.method("updateCollections");
    assert.equal(decodeUtxos(world.cell(CELLS.oldFederationUtxos)!).length, 2, "not yet");
    assert.equal(toHex(world.cell(CELLS.activeFederationCreationHeight)!), COMMITTED.toString(16));
    world.block++;
    world.method("updateCollections");
    assert.deepEqual(decodeUtxos(world.cell(CELLS.oldFederationUtxos)!), []);
    const migration = waiting(world);
    assert.deepEqual(migration.outputs.length, 1);
    assert.deepEqual(migration.outputs[0]!.script, outputOf(NEXT));
    world.registerWithWitness(migration);
    assert.deepEqual(
      world.coins().map(({ value }) => value),
      [migration.outputs[0]!.value],
    );
    world.block = COMMITTED + 300;
    world.methodBy(MEMBERS[0]!, "updateCollections");
    assert.equal(world.cell(CELLS.oldFederation), undefined);
    assert.equal(toHex(world.cell(CELLS.oldFederationFormatVersion)!), "8203e8");
  });

  describe("with several outputs (RSKIP-455)", () => {
    const COIN = 100_000_000n;
    const network = { ...local, ruleHeights: { ...local.ruleHeights, rskip455: 0 } };

    /** A retiring federation that holds these UTXOs only, at an age of the active one. */
    function retiringWith(age: number, values: readonly bigint[]): PegWorld {
      const world = replacedFederation(network);
      world.block = COMMITTED + 150 + age;
      const script = outputOf(GENESIS);
      const coins = values.map((value, index) => {
        return { txid: new Uint8Array(32).fill(7), index, value, script, height: 0, coinbase: false };
      });
      world.state.setStorageBytes(BRIDGE_ADDRESS, CELLS.oldFederationUtxos, encodeUtxos(coins));
      return world;
    }
    const left = (world: PegWorld) => decodeUtxos(world.cell(CELLS.oldFederationUtxos)!).length;
    const even = Array.from({ length: 50 }, () => 20n * COIN + 1n);

    for (const [total, outputs] of [
      [40n * COIN - 1n, [40n * COIN - 1n]],
      [40n * COIN, [20n * COIN, 20n * COIN]],
      [75n * COIN, [20n * COIN, 20n * COIN, 35n * COIN]],
      [1000n * COIN - 1n, [...even.slice(2).map(() => 20n * COIN), 40n * COIN - 1n]],
      [1000n * COIN + 99n, [...even.slice(1), 20n * COIN + 50n]],
    ] as [bigint, bigint[]][]) {
      it(`moves ${total} satoshi with ${outputs.length} outputs`, () => {
        const world = retiringWith(16, [1n * COIN, total - 1n * COIN]);
        world.method("updateCollections");
        const migration = waiting(world);
        const fee = total - migration.outputs.reduce((sum, { value }) => sum + value, 0n);
        const count = BigInt(outputs.length);
        const paid = outputs.map((value, i) => value - fee / count - (i === 0 ? fee % count : 0n));
        assert.deepEqual(
          migration.outputs,
          paid.map((value) => ({ value, script: outputOf(NEXT) })),
        );
        assert.equal(left(world), 0);
      });
    }

    it("spends 150 UTXOs at once, and drops the old federation only when none is left", () => {
      const world = retiringWith(
        150,
        Array.from({ length: 151 }, () => COIN),
      );
      for (const [remaining, isDropped] of [
        [1, false],
        [0, false],
        [0, true],
      ] as const) {
        world.methodBy(MEMBERS[0]!, "updateCollections");
        assert.deepEqual([left(world), world.cell(CELLS.oldFederation) === undefined], [remaining, isDropped]);
        world.state.setStorageBytes(BRIDGE_ADDRESS, CELLS.waitingForSignatures, fromHex("c0"));
        world.block++;
      }
    });

    it("leaves everything unchanged if the fee exceeds the value, and drops the old federation in the end", () => {
      const world = retiringWith(16, [3000n]);
      assert.notEqual(world.method("updateCollections"), undefined);
      assert.deepEqual([left(world), world.cell(CELLS.oldFederation) === undefined], [1, false]);
      world.block = COMMITTED + 300;
      world.methodBy(MEMBERS[0]!, "updateCollections");
      assert.deepEqual([left(world), world.cell(CELLS.oldFederation) === undefined], [1, true]);
    });
  });

  it("does not drop the old federation if the database fails during the last migration", () => {
    const world = replacedFederation();
    world.block = COMMITTED + 300;
    const before = world.state.checkpoint();
    let hasFailed = true;
    for (let index = 0; hasFailed; index++) {
      const failed = world.failRead(index);
      const error = errorOf(() => world.method("updateCollections"));
      hasFailed = failed();
      assert.equal(error instanceof DatabaseError, hasFailed, String(error));
      world.state.revertTo(before);
    }
  });
});
