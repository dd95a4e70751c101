import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, local, rulesAt } from "@cambium/config";
import { DatabaseError } from "@cambium/database";
import {
  bigintToBytes,
  concatBytes,
  encodeRlp,
  fromHex,
  hash160,
  keccak256,
  numberToBytes,
  utf8,
} from "@cambium/primitives";
import { flyoverRedeem } from "../src/bitcoin/flyover-script.js";
import { redeemHash, scriptHashOutput } from "../src/bitcoin/script.js";
import { redeemScript } from "../src/federation/script.js";
import { encodeFederation, genesisFederation } from "../src/model/federation.js";
import { CELLS } from "../src/storage/cells.js";
import { errorOf, PegWorld, payment, signer } from "./peg-world.js";

const REDEEM = redeemScript(genesisFederation(local), local, rulesAt(local, 1));
const CONTRACT = fromHex("c0".repeat(20));
const DETAILS = keccak256(utf8("details"));
const USER = concatBytes(Uint8Array.of(111), hash160(utf8("user")));
const PROVIDER = concatBytes(Uint8Array.of(196), hash160(utf8("provider")));
const SATOSHI = 10n ** 10n;

const DERIVATION = keccak256(concatBytes(DETAILS, USER, CONTRACT, PROVIDER));
const OUTPUT = scriptHashOutput(redeemHash(flyoverRedeem(DERIVATION, REDEEM), true));

interface Change {
  by?: Uint8Array;
  user?: Uint8Array;
  toProvider?: boolean;
  confirmations?: number;
}

/** Returns the bridge's result for a payment to the flyover address. */
function register(world: PegWorld, value: bigint, change: Change = {}, script = OUTPUT): bigint {
  const paid = payment(signer("user1"), [{ value, script }], 9);
  const { raw, height, tree } = world.prove(paid, change.confirmations ?? 3);
  const { by = CONTRACT, user = USER, toProvider = false } = change;
  return world.flyover(by, [raw, height, tree, DETAILS, user, CONTRACT, PROVIDER, toProvider]);
}

describe("flyover peg-ins (spec/06b-3 §9)", () => {
  it("credits the contract and adds the UTXO, once", () => {
    const world = new PegWorld();
    assert.equal(register(world, 700_000n), 700_000n * SATOSHI);
    assert.equal(world.balance(CONTRACT), 700_000n * SATOSHI);
    assert.deepEqual(
      world.coins().map(({ value, script }) => [value, script]),
      [[700_000n, OUTPUT]],
    );
    assert.equal(register(world, 700_000n), -302n);
  });

  it("rejects invalid registrations", () => {
    const codes: [bigint, Parameters<typeof register>][] = [
      [-301n, [new PegWorld(), 700_000n, { by: fromHex("dd".repeat(20)) }]],
      [-303n, [new PegWorld(), 700_000n, { confirmations: 2 }]],
      [-304n, [new PegWorld(), 700_000n, {}, fromHex("51")]],
      [-305n, [new PegWorld(), 499_999n]],
      [-900n, [new PegWorld(), 700_000n, {}, fromHex("76a95188ac")]],
      [-900n, [new PegWorld(), 700_000n, { user: USER.subarray(1) }]],
      [-900n, [new PegWorld(), 700_000n, { user: concatBytes(Uint8Array.of(5), USER.subarray(1)) }]],
    ];
    for (const [code, args] of codes) {
      assert.equal(register(...args), code);
      assert.deepEqual(args[0].coins(), []);
    }
  });

  it("never takes a failing database for an invalid registration", () => {
    let hasFailed = true;
    for (let index = 0; hasFailed; index++) {
      const world = new PegWorld();
      const paid = payment(signer("user1"), [{ value: 700_000n, script: OUTPUT }], 9);
      const { raw, height, tree } = world.prove(paid, 3);
      const failed = world.failRead(index);
      const registering = () => world.flyover(CONTRACT, [raw, height, tree, DETAILS, USER, CONTRACT, PROVIDER, false]);
      const error = errorOf(() => assert.equal(registering(), 700_000n * SATOSHI));
      hasFailed = failed();
      assert.equal(error instanceof DatabaseError, hasFailed, String(error));
    }
  });

  it("refunds everything above the locking cap", () => {
    for (const [toProvider, code] of [
      [false, -100n],
      [true, -200n],
    ] as const) {
      const world = new PegWorld();
      world.state.setStorageBytes(BRIDGE_ADDRESS, CELLS.lockingCap, encodeRlp(bigintToBytes(699_999n)));
      assert.equal(register(world, 700_000n, { toProvider }), code);
      assert.equal(world.balance(CONTRACT), 0n);
      assert.deepEqual(world.coins(), []);
      assert.ok(world.cell(CELLS.unconfirmedReleasesWithHash)!.length > 1);
      assert.equal(register(world, 700_000n, { toProvider }), -302n);
    }
  });

  it("cannot refund a payment to an address that both federations share", () => {
    const world = new PegWorld();
    const cell = (key: Uint8Array, value: Uint8Array) => world.state.setStorageBytes(BRIDGE_ADDRESS, key, value);
    const federation = encodeFederation(genesisFederation(local), true);
    const format = encodeRlp(numberToBytes(4000));
    for (const key of [CELLS.newFederation, CELLS.oldFederation]) cell(key, federation);
    for (const key of [CELLS.newFederationFormatVersion, CELLS.oldFederationFormatVersion]) cell(key, format);
    world.block = 1000;
    cell(CELLS.lockingCap, encodeRlp(bigintToBytes(699_999n)));
    assert.equal(register(world, 700_000n), -900n);
    assert.equal(register(world, 700_000n), -302n);
  });
});
