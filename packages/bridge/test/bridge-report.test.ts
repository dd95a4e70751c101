import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, local, rulesAt } from "@cambium/config";
import { encodeRlp, fromHex, numberToBytes, signHash, toHex } from "@cambium/primitives";
import { scriptHashOutput } from "../src/bitcoin/script.js";
import { encodeInputSignature } from "../src/bitcoin/signature.js";
import { witnessSignatureHash } from "../src/bitcoin/signature-hash.js";
import { parseTransaction } from "../src/bitcoin/transaction.js";
import { scriptHash } from "../src/federation/script.js";
import { type BridgeReport, reportBridge } from "../src/index.js";
import {
  encodeFederation,
  encodePendingFederation,
  type Federation,
  genesisFederation,
  sortMembers,
} from "../src/model/federation.js";
import { CELLS } from "../src/storage/cells.js";
import { compressed, PegWorld, payment, signer } from "./peg-world.js";

const GENESIS = genesisFederation(local);
const MEMBER = compressed(signer("next1"));
const NEXT: Federation = {
  format: 4000,
  creationTimeMillis: 1_700_000_000_000n,
  creationBlock: 70,
  members: [{ btc: MEMBER, rsk: MEMBER, mst: MEMBER }],
};
const SATOSHI = 10n ** 10n;

function report(world: PegWorld): BridgeReport {
  return reportBridge(local, world.block, world.state);
}

/** A bridge with two UTXOs of one bitcoin each, and a request for part of one. */
function requested(): PegWorld {
  const world = new PegWorld();
  const script = scriptHashOutput(scriptHash(GENESIS, local, rulesAt(local, 1)));
  for (const salt of [1, 2]) world.register(payment(signer("user1"), [{ value: 100_000_000n, script }], salt));
  world.call(new Uint8Array(0), signer("user1"), 10_000_000n * SATOSHI);
  return world;
}

describe("report of the bridge", () => {
  it("follows a peg-out", () => {
    const world = requested();
    const { coins, pegOuts, parentChain } = report(world);
    assert.deepEqual(coins.active, { count: 2, value: 200_000_000n });
    assert.equal(parentChain.height, world.parentHeight);
    assert.deepEqual(
      pegOuts.queued.map(({ amount }) => amount),
      [10_000_000n],
    );
    world.block = 60;
    world.method("updateCollections");
    const [waiting] = report(world).pegOuts.waitingForConfirmations;
    assert.equal(waiting?.creationBlock, 60);
    assert.equal(waiting.confirmedAt, 63);
    world.block = 63;
    world.method("updateCollections");
    const { queued, waitingForConfirmations, waitingForSignatures } = report(world).pegOuts;
    assert.deepEqual([queued, waitingForConfirmations], [[], []]);
    assert.deepEqual(
      waitingForSignatures.map(({ txid, raw }) => [txid, raw]),
      [[waiting.txid, waiting.raw]],
    );
    assert.deepEqual(report(world).coins.active, { count: 1, value: 100_000_000n });
  });

  it("names the members whose signatures a peg-out has, and those who can sign next", () => {
    const world = requested();
    for (world.block of [60, 63]) world.method("updateCollections");
    const [waiting] = report(world).pegOuts.waitingForSignatures;
    const federators = ["federator1", "federator2", "federator3"].map(signer);
    const keys = sortMembers(GENESIS.members).map(({ btc }) => toHex(btc));
    assert.deepEqual([waiting?.required, waiting?.signedBy, waiting?.missing], [2, [], keys]);
    const transaction = parseTransaction(fromHex(waiting!.raw));
    const redeem = transaction.inputs[0]!.witness.at(-1)!;
    const hash = witnessSignatureHash(transaction, 0, redeem, 100_000_000n);
    const member = federators[1]!;
    const signature = encodeInputSignature(signHash(hash, member.privateKey)).subarray(0, -1);
    world.methodBy(member, "addSignature", compressed(member), [signature], fromHex(waiting!.key));
    const own = toHex(compressed(member));
    const [partly] = report(world).pegOuts.waitingForSignatures;
    assert.deepEqual([partly?.signedBy, partly?.missing], [[own], keys.filter((key) => key !== own)]);
  });

  it("reports each federation by its state", () => {
    const world = new PegWorld();
    const put = (cell: "new" | "old" | "proposed", federation: Federation | undefined) => {
      const value = federation === undefined ? undefined : encodeFederation(federation, true);
      world.state.setStorageBytes(BRIDGE_ADDRESS, CELLS[`${cell}Federation`], value);
      const version = encodeRlp(numberToBytes(4000));
      world.state.setStorageBytes(BRIDGE_ADDRESS, CELLS[`${cell}FederationFormatVersion`], version);
    };
    const pending = encodePendingFederation(NEXT.members, true);
    world.state.setStorageBytes(BRIDGE_ADDRESS, CELLS.pendingFederation, pending);
    world.state.setStorageBytes(BRIDGE_ADDRESS, CELLS.pendingFederationFormatVersion, encodeRlp(numberToBytes(1000)));
    assert.equal(report(world).federations.pending?.members[0]?.btc, toHex(MEMBER));

    put("proposed", NEXT);
    const { proposed } = report(world).federations;
    assert.deepEqual([proposed?.validation, proposed?.validationEnds], ["not begun", 195]);

    put("proposed", undefined);
    put("new", NEXT);
    put("old", GENESIS);
    world.block = 219;
    const waiting = report(world).federations;
    assert.equal(waiting.next?.activationBlock, 220);
    assert.equal(waiting.active.members.length, 3);
    assert.equal(waiting.retiring, undefined);

    world.block = 220;
    const done = report(world).federations;
    assert.equal(done.active.members.length, 1);
    assert.equal(done.retiring?.members.length, 3);
    assert.equal(done.next, undefined);
  });
});
