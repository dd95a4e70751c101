import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, local, type NetworkConfig, rulesAt } from "@cambium/config";
import { sha256d } from "@cambium/merged-mining";
import {
  bytesToBigint,
  concatBytes,
  decodeRlpList,
  encodeRlp,
  equalBytes,
  fromHex,
  hash160,
  keccak256,
  numberToBytes,
  signHash,
  toHex,
  utf8,
} from "@cambium/primitives";
import { fc, runs } from "@cambium/test-utils/properties";
import { publicKeyHashOutput, scriptHashOutput } from "../src/bitcoin/script.js";
import { encodeInputSignature } from "../src/bitcoin/signature.js";
import { witnessSignatureHash } from "../src/bitcoin/signature-hash.js";
import {
  encodeTransaction,
  type ParentTransaction,
  parseTransaction,
  transactionId,
} from "../src/bitcoin/transaction.js";
import { redeemScript, scriptHash } from "../src/federation/script.js";
import { genesisFederation } from "../src/model/federation.js";
import { encodeUtxos } from "../src/model/utxo.js";
import { CELLS } from "../src/storage/cells.js";
import { compressed, FEDERATOR, PegWorld, payment, type Signer, signer } from "./peg-world.js";

const RULES = rulesAt(local, 1);
const FEDERATION = genesisFederation(local);
const REDEEM = redeemScript(FEDERATION, local, RULES);
const TO_FEDERATION = scriptHashOutput(scriptHash(FEDERATION, local, RULES));
const SUPPLY = 21_000_000n * 10n ** 18n;
const SATOSHI = 10n ** 10n;
const BURN = fromHex("ff".repeat(20));
const USER = signer("user1");
const CONTRACT = fromHex("c0".repeat(20));
const EVENTS = {
  pegIn: "44cdc782a38244afd68336ab92a0b39f864d6c0b2a50fa1da58cafc93cd2ae5a",
  rejected: "708ce1ead20561c5894a93be3fee64b326b2ad6c198f8253e4bb56f1626053d6",
  unrefundable: "35be155c87e408cbbcb753dc12f95fc5a242a29460a3d7189e807e63d7c185a7",
  addSignature: "83b6efe3a7d95459577ec9396f5d6f1e486ca2378130e2ba4d98a4da108ca743",
  release: "655929b56d5c5a24f81ee80267d5151b9d680e7e703387999922e9070bc98a02",
  confirmed: "c287f602476eeef8a547a3b82e79045c827c51362ff153f728b6d839bad099ef",
} as const;

function topics(logs: readonly { topics: readonly Uint8Array[] }[] | undefined): string[] {
  return (logs ?? []).map((log) => toHex(log.topics[0]!));
}

function toFederation(value: bigint, ...more: ParentTransaction["outputs"]): ParentTransaction["outputs"] {
  return [{ value, script: TO_FEDERATION }, ...more];
}

/** A bridge whose parent chain is high enough for the peg-out index. */
function pegWorld(): PegWorld {
  const world = new PegWorld();
  world.mine(new Uint8Array(32), 350);
  return world;
}

/** Created transactions that wait for confirmations. */
function created(world: PegWorld): ParentTransaction[] {
  const items = decodeRlpList(world.cell(CELLS.unconfirmedReleasesWithHash) ?? fromHex("c0"));
  return items.filter((_, i) => i % 3 === 0).map((item) => parseTransaction(item.bytes));
}

function queued(world: PegWorld): bigint {
  const items = decodeRlpList(world.cell(CELLS.releaseQueueWithHash) ?? fromHex("c0"));
  return items.filter((_, i) => i % 3 === 1).reduce((sum, item) => sum + BigInt(`0x0${toHex(item.bytes)}`), 0n);
}

describe("peg-in (spec/06b-3 §3)", () => {
  it("credits the account of the sender's key and adds the UTXO", () => {
    const world = pegWorld();
    const transaction = payment(USER, toFederation(1_000_000n), 1);
    assert.deepEqual(topics(world.register(transaction)), [EVENTS.pegIn]);
    assert.equal(world.balance(USER.address), 1_000_000n * SATOSHI);
    assert.equal(world.balance(BRIDGE_ADDRESS), SUPPLY - 1_000_000n * SATOSHI);
    assert.deepEqual(world.coins(), [
      {
        txid: transactionId(transaction),
        index: 0,
        value: 1_000_000n,
        script: TO_FEDERATION,
        height: 0,
        coinbase: false,
      },
    ]);
  });

  it("credits the account in the instructions", () => {
    const world = pegWorld();
    const instructions = fromHex(`6a1952534b5401${"5a".repeat(20)}`);
    world.register(payment(USER, toFederation(500_000n, { value: 0n, script: instructions }), 2));
    assert.equal(world.balance(fromHex("5a".repeat(20))), 500_000n * SATOSHI);
    assert.equal(world.balance(USER.address), 0n);
  });

  it("refunds a peg-in with invalid instructions", () => {
    const world = pegWorld();
    const instructions = fromHex(`6a1952534b5402${"5a".repeat(20)}`);
    const logs = world.register(payment(USER, toFederation(500_000n, { value: 0n, script: instructions }), 3));
    assert.equal(topics(logs)[0], EVENTS.rejected);
    const [refund] = created(world);
    assert.deepEqual(refund!.outputs.length, 1);
    assert.deepEqual(refund!.outputs[0]!.script, publicKeyHashOutput(hash160(compressed(USER))));
    assert.deepEqual(world.coins(), []);
    assert.equal(world.balance(BRIDGE_ADDRESS), SUPPLY);
  });

  it("keeps amounts below the minimum and emits an event each time", () => {
    const world = pegWorld();
    const transaction = payment(USER, toFederation(499_999n), 4);
    for (let i = 0; i < 2; i++) {
      assert.deepEqual(topics(world.register(transaction)), [EVENTS.rejected, EVENTS.unrefundable]);
    }
  });

  it("ignores repeated or early registrations and proofs of another transaction", () => {
    const world = pegWorld();
    const transaction = payment(USER, toFederation(1_000_000n), 5);
    world.register(transaction);
    assert.deepEqual(world.register(transaction), []);
    assert.equal(world.coins().length, 1);
  });

  it("fails early only for a witness form without inputs", () => {
    const world = pegWorld();
    const elsewhere = 100n;
    // The block of that height has another root, which is ignored silently unless the call failed before comparing it.
    const register = (hex: string): unknown => {
      const raw = fromHex(hex);
      const tree = concatBytes(fromHex("0100000001"), sha256d(raw), fromHex("0101"));
      return world.method("registerBtcTransaction", raw, elsewhere, tree);
    };
    assert.equal(register("02000000000100"), undefined);
    for (const hex of ["02000000000101", "02000000000000", "02000000000200", "02000000fd0000", "020000000100"]) {
      assert.deepEqual(register(hex), [], hex);
    }
    for (const hex of ["02000000", "0200000000", "020000000001"]) {
      assert.equal(register(hex), undefined, hex);
    }
  });
});

describe("peg-out (spec/06b-3 §4, §5, §8)", () => {
  function requested(value: bigint): PegWorld {
    const world = pegWorld();
    world.register(payment(USER, toFederation(100_000_000n), 6));
    world.call(new Uint8Array(0), USER, value);
    world.block += 60;
    world.method("updateCollections");
    return world;
  }

  function signaturesOf(world: PegWorld, transaction: ParentTransaction, by: Signer): Uint8Array[] {
    const hash = witnessSignatureHash(transaction, 0, REDEEM, 100_000_000n);
    assert.equal(world.balance(BRIDGE_ADDRESS) > 0n, true);
    return [encodeInputSignature(signHash(hash, by.privateKey)).subarray(0, -1)];
  }

  it("pays a request from the federation's UTXOs and registers the change", () => {
    const world = requested(10_000_000n * SATOSHI);
    assert.deepEqual(world.coins(), []);
    const [transaction] = created(world);
    assert.equal(transaction!.outputs[1]!.value, 90_000_000n);
    assert.notEqual(world.registerWithWitness(transaction!), undefined);
    assert.deepEqual(
      world.coins().map(({ value }) => value),
      [90_000_000n],
    );
  });

  it("collects signatures in key order until the threshold is reached", () => {
    const world = requested(10_000_000n * SATOSHI);
    const [transaction] = created(world);
    world.block += 3;
    assert.deepEqual(topics(world.method("updateCollections")).slice(1), [EVENTS.confirmed]);
    const [key] = decodeRlpList(world.cell(CELLS.waitingForSignatures)!);
    const [first, second] = [signer("federator3"), signer("federator1")];
    const sign = (by: Signer) =>
      world.method("addSignature", compressed(by), signaturesOf(world, transaction!, by), key!.bytes);
    assert.deepEqual(topics(sign(first)), [EVENTS.addSignature]);
    assert.deepEqual(topics(sign(first)), []);
    const stranger = signer("stranger");
    assert.deepEqual(topics(sign(stranger)), []);
    const logs = sign(second);
    assert.deepEqual(topics(logs), [EVENTS.addSignature, EVENTS.release]);
    assert.deepEqual(world.cell(CELLS.waitingForSignatures), fromHex("c0"));
    const raw = logs![1]!.data.subarray(64);
    const { witness } = parseTransaction(raw).inputs[0]!;
    const members = FEDERATION.members.map(({ btc }) => toHex(btc));
    const signers = [first, second].map((by) => ({ by, at: members.indexOf(toHex(compressed(by))) }));
    signers.sort((a, b) => a.at - b.at);
    for (const [i, { by }] of signers.entries()) {
      assert.deepEqual(witness[1 + i]!.subarray(0, -1), signaturesOf(world, transaction!, by)[0]);
    }
  });

  it("fails on a malformed signature, and for callers who are not members", () => {
    const world = requested(10_000_000n * SATOSHI);
    const key = compressed(FEDERATOR);
    assert.equal(world.method("addSignature", key, [fromHex("3000")], new Uint8Array(32)), undefined);
    assert.equal(
      world.method("addSignature", fromHex("02"), [fromHex("3006020101020101")], new Uint8Array(32)),
      undefined,
    );
    assert.equal(world.call(fromHex("0c5a9990"), USER), undefined);
  });

  it("refunds amounts that are too small", () => {
    const world = pegWorld();
    world.register(payment(USER, toFederation(1_000_000n), 7));
    world.call(new Uint8Array(0), USER, 100_000n * SATOSHI);
    assert.equal(world.balance(USER.address), 1_000_000n * SATOSHI);
    assert.equal(queued(world), 0n);
  });
});

/** A bridge with one UTXO and more requests than one transaction can pay. */
function fullQueue(network: NetworkConfig): PegWorld {
  const world = new PegWorld(network);
  const requests = Array.from({ length: 3001 }, (_, i) => [
    hash160(utf8(`request ${i}`)),
    numberToBytes(300_000 + i),
    keccak256(utf8(`request ${i}`)),
  ]);
  const coin = { txid: keccak256(utf8("coin")), index: 0, value: 2_000_000_000n, script: TO_FEDERATION };
  const write = (key: Uint8Array, value: Uint8Array) => world.state.setStorageBytes(BRIDGE_ADDRESS, key, value);
  write(CELLS.releaseQueueWithHash, encodeRlp(requests.flat()));
  write(CELLS.newFederationUtxos, encodeUtxos([{ ...coin, height: 0, coinbase: false }]));
  return world;
}

describe("a queue too large for one transaction (spec/06b-3 §5.3)", () => {
  const before: NetworkConfig = { ...local, ruleHeights: { ...local.ruleHeights, rskip378: -1 } };

  it("is halved for payment, but reported and burned as a whole before RSKIP-378", () => {
    const world = fullQueue(before);
    const logs = world.method("updateCollections")!;
    assert.equal(bytesToBigint(logs[1]!.data), 904_801_500n);
    assert.equal(created(world)[0]!.outputs.length, 1501);
    assert.equal(world.balance(BURN), 453_677_250n * SATOSHI);
    assert.equal(decodeRlpList(world.cell(CELLS.releaseQueueWithHash)!).length, 1501 * 3);
    assert.deepEqual(world.cell(CELLS.nextPegOutHeight), fromHex("80"));
  });

  it("is reported by what is paid from RSKIP-378 on, and nothing is burned", () => {
    const world = fullQueue(local);
    const logs = world.method("updateCollections")!;
    assert.equal(bytesToBigint(logs[1]!.data), 451_124_250n);
    assert.equal(created(world)[0]!.outputs.length, 1501);
    assert.equal(world.balance(BURN), 0n);
    assert.equal(decodeRlpList(world.cell(CELLS.releaseQueueWithHash)!).length, 1501 * 3);
  });
});

describe("peg-ins of any form", () => {
  const byMultisig = concatBytes(fromHex("00004cfc"), REDEEM);
  const byUser = concatBytes(fromHex("5121"), compressed(USER));
  const script = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Uint8Array.from(bytes)),
    fc.constantFrom(
      TO_FEDERATION,
      publicKeyHashOutput(new Uint8Array(20)),
      fromHex(`6a1952534b5401${"5a".repeat(20)}`),
      fromHex("6a0452534b54"),
      byMultisig,
      byUser,
      fromHex("00"),
    ),
  );
  const witness = fc.array(fc.oneof(script, fc.constantFrom(compressed(USER), REDEEM)), { maxLength: 4 });

  it("emit events, fail, or do nothing, but never create coins", () => {
    const world = pegWorld();
    const accounts = [BRIDGE_ADDRESS, USER.address, fromHex("5a".repeat(20))];
    let salt = 0;
    fc.assert(
      fc.property(script, witness, fc.array(script, { maxLength: 3 }), (input, items, others) => {
        const base = payment(USER, toFederation(600_000n), salt++);
        const outputs = [...base.outputs, ...others.map((other) => ({ value: 700_000n, script: other }))];
        const transaction = { ...base, inputs: [{ ...base.inputs[0]!, script: input, witness: items }], outputs };
        const credited = () => world.balance(USER.address) + world.balance(accounts[2]!);
        const before = credited();
        world.registerWithWitness(transaction);
        assert.ok([0, 600_000, 1_300_000, 2_000_000, 2_700_000].includes(Number((credited() - before) / SATOSHI)));
        const sum = accounts.reduce((total, account) => total + world.balance(account), 0n);
        assert.equal(sum, SUPPLY);
      }),
      // These examples ensure a credit and a refund: a few random runs in a hundred lack one of them.
      {
        numRuns: runs(60),
        examples: [
          [byUser, [], []],
          [byMultisig, [], []],
        ],
      },
    );
    assert.ok(world.balance(USER.address) > 0n);
    assert.ok(created(world).length > 0);
  });
});

type Step =
  | { kind: "pegIn"; value: bigint; user: number }
  | { kind: "pegOut"; wei: bigint; user: number }
  | { kind: "byContract"; wei: bigint }
  | { kind: "update"; blocks: number }
  | { kind: "return" };

const arbitraryStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("pegIn" as const),
    value: fc.bigInt(400_000n, 3_000_000n),
    user: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({
    kind: fc.constant("pegOut" as const),
    wei: fc.bigInt(200_000n * SATOSHI, 2_000_000n * SATOSHI),
    user: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ kind: fc.constant("byContract" as const), wei: fc.bigInt(0n, 10n ** 16n) }),
  fc.record({ kind: fc.constant("update" as const), blocks: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ kind: fc.constant("return" as const) }),
);

describe("coins in the peg", () => {
  it("are neither created nor lost by any sequence of calls", () => {
    const outside = [USER.address, signer("user2").address, signer("user3").address, CONTRACT, BURN, FEDERATOR.address];
    fc.assert(
      fc.property(fc.array(arbitraryStep, { minLength: 5, maxLength: 25 }), (steps) => {
        const world = pegWorld();
        world.state.addBalance(CONTRACT, SUPPLY);
        // Wei that callers left in the bridge: fractions of a satoshi, and payments of contracts.
        let left = 0n;
        const open = new Map<string, ParentTransaction>();
        steps.forEach((step, i) => {
          left += run(world, step, i, open);
          const balances = [BRIDGE_ADDRESS, ...outside].reduce((sum, address) => sum + world.balance(address), 0n);
          assert.equal(balances, 2n * SUPPLY, "wei");
          const held = world.coins().reduce((sum, { value }) => sum + value, 0n);
          const pending = [...open.values()].reduce((sum, transaction) => sum + changeOf(transaction), 0n);
          const outstanding = SUPPLY - (world.balance(BRIDGE_ADDRESS) - left);
          assert.equal((held + pending - queued(world)) * SATOSHI, outstanding, "satoshi and wei differ");
        });
      }),
      { numRuns: runs(15) },
    );
  });

  function changeOf({ outputs }: ParentTransaction): bigint {
    return outputs
      .filter(({ script }) => equalBytes(script, TO_FEDERATION))
      .reduce((sum, { value }) => sum + value, 0n);
  }

  /**
   * Returns the wei that stay in the bridge for good. `open` are created transactions that have not been registered.
   */
  function run(world: PegWorld, step: Step, salt: number, open: Map<string, ParentTransaction>): bigint {
    world.block++;
    switch (step.kind) {
      case "pegIn":
        world.register(payment(signer(`user${step.user}`), toFederation(step.value), salt));
        return 0n;
      case "pegOut": {
        const user = signer(`user${step.user}`);
        if (world.balance(user.address) < step.wei) return 0n;
        const before = queued(world);
        world.call(new Uint8Array(0), user, step.wei);
        return queued(world) === before ? 0n : step.wei % SATOSHI;
      }
      case "byContract":
        world.callByContract(fromHex("80af2871"), CONTRACT, step.wei);
        return step.wei;
      case "update": {
        world.block += step.blocks;
        const known = new Set(created(world).map((transaction) => toHex(encodeTransaction(transaction))));
        world.method("updateCollections");
        for (const transaction of created(world)) {
          const raw = toHex(encodeTransaction(transaction));
          if (!known.has(raw)) open.set(raw, transaction);
        }
        return 0n;
      }
      case "return": {
        const [first] = open;
        if (first === undefined) return 0n;
        world.registerWithWitness(first[1]);
        open.delete(first[0]);
        return 0n;
      }
    }
  }
});
