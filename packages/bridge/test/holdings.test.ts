import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, local, rulesAt } from "@cambium/config";
import { encodeRlp, numberToBytes, toHex } from "@cambium/primitives";
import type { Log } from "@cambium/types";
import { scriptHashOutput } from "../src/bitcoin/script.js";
import { transactionId } from "../src/bitcoin/transaction.js";
import { scriptHash } from "../src/federation/script.js";
import { type BridgeHoldings, pegLedger, reportHoldings } from "../src/index.js";
import { encodeFederation, genesisFederation, sortMembers } from "../src/model/federation.js";
import { encodeUtxos } from "../src/model/utxo.js";
import type { BridgeLog } from "../src/report/peg-ledger.js";
import { CELLS } from "../src/storage/cells.js";
import { compressed, PegWorld, payment, signer } from "./peg-world.js";

const COIN = 100_000_000n;
const SATOSHI = 10n ** 10n;
const SCRIPT = scriptHashOutput(scriptHash(genesisFederation(local), local, rulesAt(local, 1)));
const USER = signer("user1");

/** A bridge with one peg-in of a coin, and the logs that it writes. */
class AuditedWorld extends PegWorld {
  readonly logs: BridgeLog[] = [];
  readonly pegIn = payment(USER, [{ value: COIN, script: SCRIPT }], 1);

  constructor() {
    super();
    this.keep(this.register(this.pegIn));
  }

  /** Keeps the logs of one call as those of a transaction. */
  keep(logs: readonly Log[] | undefined): void {
    const transactionHash = Uint8Array.of(this.logs.length);
    for (const log of logs!) this.logs.push({ log, blockNumber: this.block, transactionHash });
  }

  update(): void {
    this.keep(this.method("updateCollections"));
  }

  holdings(): BridgeHoldings {
    return reportHoldings(local, this.block, this.state, pegLedger(local, this.logs));
  }
}

describe("holdings of the bridge", () => {
  it("count a peg-in on both sides", () => {
    const world = new AuditedWorld();
    const { coins, circulating, difference, scripts } = world.holdings();
    const txid = toHex(transactionId(world.pegIn));
    assert.deepEqual(coins, [{ owner: "active", txid, index: 0, value: COIN, script: toHex(SCRIPT) }]);
    assert.deepEqual([circulating, difference, scripts], [COIN * SATOSHI, 0n, [toHex(SCRIPT)]]);
  });

  it("are equal to coins on this chain while a peg-out waits, is confirmed and collects signatures", () => {
    const world = new AuditedWorld();
    world.keep(world.call(new Uint8Array(0), USER, (COIN / 4n) * SATOSHI));
    assert.deepEqual([world.holdings().queued, world.holdings().difference], [COIN / 4n, 0n]);
    world.block = 60;
    world.update();
    const { inProgress, coins, difference } = world.holdings();
    assert.deepEqual([coins, difference], [[], 0n]);
    assert.deepEqual(
      inProgress.map(({ stage, returning }) => [stage, returning]),
      [["confirming", (COIN * 3n) / 4n]],
    );
    assert.equal(inProgress[0]!.spends[0]!.txid, toHex(transactionId(world.pegIn)));
    world.block = 63;
    world.update();
    const signing = world.holdings();
    assert.deepEqual([signing.inProgress[0]!.stage, signing.difference], ["signing", 0n]);
  });

  it("include what the bridge keeps: parts of a satoshi, and coins from contracts", () => {
    const world = new AuditedWorld();
    world.keep(world.call(new Uint8Array(0), USER, (COIN / 4n) * SATOSHI + 7n));
    assert.deepEqual([world.holdings().kept, world.holdings().difference], [7n, 0n]);
    // Without the event, the same coins are a surplus.
    world.logs.pop();
    assert.equal(world.holdings().difference, -7n);
  });

  it("differ by coins that the bridge lost or gained without an event", () => {
    const world = new AuditedWorld();
    world.state.setStorageBytes(BRIDGE_ADDRESS, CELLS.newFederationUtxos, encodeUtxos([]));
    assert.equal(world.holdings().difference, COIN * SATOSHI);
    world.state.addBalance(BRIDGE_ADDRESS, 2n * COIN * SATOSHI);
    assert.equal(world.holdings().difference, -COIN * SATOSHI);
  });

  it("count fees that the federation pays, as for the proof of a proposed one", () => {
    const world = new AuditedWorld();
    const members = ["next1", "next2", "next3"].map((name) => compressed(signer(name)));
    const proposed = {
      format: 4000 as const,
      creationTimeMillis: 1n,
      creationBlock: 20,
      members: sortMembers(members.map((key) => ({ btc: key, rsk: key, mst: key }))),
    };
    const cells = world.state;
    cells.setStorageBytes(BRIDGE_ADDRESS, CELLS.proposedFederation, encodeFederation(proposed, true));
    const format = encodeRlp(numberToBytes(proposed.format));
    cells.setStorageBytes(BRIDGE_ADDRESS, CELLS.proposedFederationFormatVersion, format);
    world.block = 20;
    world.update();
    const { inProgress, fees, difference, scripts } = world.holdings();
    assert.ok(fees > 0n);
    assert.deepEqual([inProgress[0]!.returning, difference, scripts.length], [COIN - fees, 0n, 3]);
  });

  it("name rejected peg-ins", () => {
    const world = new AuditedWorld();
    world.mine(new Uint8Array(32), 350);
    const little = payment(USER, [{ value: 1000n, script: SCRIPT }], 2);
    world.keep(world.register(little));
    const { rejected, difference } = world.holdings();
    assert.deepEqual([[...rejected], difference], [[toHex(transactionId(little))], 0n]);
  });
});
