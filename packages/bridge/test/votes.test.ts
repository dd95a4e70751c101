import assert from "node:assert/strict";
import { BRIDGE_ADDRESS, main } from "@cambium/config";
import {
  abiFunction,
  abiType,
  bigintToBytes,
  bigintToFixedBytes,
  encodeBase58Check,
  encodeRlp,
  encodeValues,
  fromHex,
  toHex,
  utf8,
} from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import { emptyState, recordCall } from "@cambium/test-utils/native-call";
import { fc } from "@cambium/test-utils/properties";
import { createBridgeContract } from "../src/index.js";
import { CELLS } from "../src/storage/cells.js";
import { Election } from "../src/votes/election.js";

const contract = createBridgeContract();
const HEIGHT = 8_900_000;

function call(state: JournaledState, selector: string, argument: bigint, caller: Uint8Array): bigint {
  const data = fromHex(selector + toHex(bigintToFixedBytes(BigInt.asUintN(256, argument), 32)));
  const { context } = recordCall({ network: main, state, block: { number: HEIGHT }, transaction: { sender: caller } });
  return BigInt.asIntN(256, BigInt(`0x${toHex(contract.execute(data, context)!)}`));
}

function stored(state: JournaledState, key: Uint8Array): string | undefined {
  const cell = state.getStorageBytes(BRIDGE_ADDRESS, key);
  return cell === undefined ? undefined : toHex(cell);
}

describe("bridge election", () => {
  const voters = [
    "5252403bca6ac3c104abdd320a736fa38282045d",
    "0d8c44bd578a4e7148d1758b3332b529e93e48c1",
    "566bca18df14ed75efcc1a8a4f3947e81132dbbc",
  ].map(fromHex);
  const empty = (): Election => Election.decode(fromHex("c0"), voters)!;
  const create = { name: "create", args: [] };

  it("is encoded as in recorded traces", () => {
    const election = empty();
    assert.ok(election.vote(create, voters[0]!));
    assert.equal(toHex(election.encode()), "dfc886637265617465c0d5945252403bca6ac3c104abdd320a736fa38282045d");
  });

  it("has a winner with a majority and counts each voter once", () => {
    const election = empty();
    assert.ok(election.vote(create, voters[1]!));
    assert.equal(election.vote(create, voters[1]!), false);
    assert.equal(election.winner(), undefined);
    assert.ok(election.vote({ name: "create", args: [utf8("x")] }, voters[0]!));
    assert.ok(election.vote(create, voters[0]!));
    assert.deepEqual(election.winner(), create);
    election.clear();
    assert.equal(toHex(election.encode()), "c0");
  });

  it("orders calls by signed bytes", () => {
    const election = empty();
    election.vote({ name: "f", args: [Uint8Array.of(0x01)] }, voters[0]!);
    election.vote({ name: "f", args: [Uint8Array.of(0xff)] }, voters[0]!);
    assert.match(toHex(election.encode()), /66c281ff.*66c101/);
  });

  it("is not decoded with an unauthorised voter", () => {
    const cell = encodeRlp([[utf8("create"), []], [new Uint8Array(20)]]);
    assert.equal(Election.decode(cell, voters), undefined);
  });

  it("round-trips through its cell", () => {
    const votes = fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.uint8Array({ maxLength: 3 }), fc.nat(2)));
    fc.assert(
      fc.property(votes, (cast) => {
        const election = empty();
        for (const [name, arg, voter] of cast) election.vote({ name, args: [arg] }, voters[voter]!);
        const cell = election.encode();
        assert.deepEqual(Election.decode(cell, voters)!.encode(), cell);
      }),
    );
  });
});

describe("fee per kB (spec/06b-2 §4)", () => {
  const VOTE = "0461313e";
  const [first, second] = main.bridge.authorizers.feePerKb as readonly [Uint8Array, Uint8Array];

  it("changes on main with the second vote for the same value", () => {
    const state = emptyState();
    assert.equal(call(state, VOTE, 20_000n, first), 1n);
    assert.equal(stored(state, CELLS.feePerKb), undefined);
    assert.equal(call(state, VOTE, 20_000n, first), -1n);
    assert.equal(call(state, VOTE, 30_000n, second), 1n);
    assert.equal(call(state, VOTE, 20_000n, second), 1n);
    assert.equal(stored(state, CELLS.feePerKb), "824e20");
    assert.equal(stored(state, CELLS.feePerKbElection), "c0");
  });

  it("rejects other callers and invalid values without changing the election", () => {
    const state = emptyState();
    assert.equal(call(state, VOTE, 20_000n, new Uint8Array(20)), -10n);
    assert.equal(call(state, VOTE, 1n << 63n, first), -10n);
    assert.equal(call(state, VOTE, 0n, first), -1n);
    assert.equal(call(state, VOTE, -5n, first), -1n);
    assert.equal(call(state, VOTE, 5_000_001n, first), -2n);
    assert.equal(stored(state, CELLS.feePerKbElection), undefined);
  });
});

describe("locking cap (spec/06b-2 §5)", () => {
  const INCREASE = "2910aeb2";
  const COINS = 100_000_000n;

  it("at most doubles, by one authorizer", () => {
    const state = emptyState();
    const authorizer = main.bridge.authorizers.lockingCap[2]!;
    assert.equal(call(state, INCREASE, 600n * COINS, new Uint8Array(20)), 0n);
    assert.equal(stored(state, CELLS.lockingCap), undefined);
    assert.equal(call(state, INCREASE, 600n * COINS + 1n, authorizer), 0n);
    assert.equal(stored(state, CELLS.lockingCap), toHex(encodeRlp(fromHex("06fc23ac00"))));
    assert.equal(call(state, INCREASE, 600n * COINS, authorizer), 1n);
    assert.equal(call(state, INCREASE, 600n * COINS, authorizer), 1n);
    assert.equal(call(state, INCREASE, 599n * COINS, authorizer), 0n);
    for (const cap of [0n, -1n, 1n << 63n]) {
      assert.throws(() => call(state, INCREASE, cap, authorizer), { code: "METHOD_FAILED" });
    }
  });

  it("fails if its double exceeds 64 bits", () => {
    const state = emptyState();
    const authorizer = main.bridge.authorizers.lockingCap[0]!;
    state.setStorageBytes(BRIDGE_ADDRESS, CELLS.lockingCap, encodeRlp(bigintToBytes(1n << 62n)));
    assert.equal(call(state, INCREASE, (1n << 62n) - 1n, authorizer), 0n);
    assert.throws(() => call(state, INCREASE, 1n << 62n, authorizer), { code: "METHOD_FAILED" });
  });
});

describe("whitelist (spec/06b-2 §6)", () => {
  const ADDRESS = "17VZNX1SN5NtKa8UQFxwQbFeFc3iqRYhem";
  const [authorizer] = main.bridge.authorizers.whitelist as readonly [Uint8Array];

  /** Adds a one-off entry by signature, caller and amount. */
  function add(state: JournaledState, maximum: bigint, address = ADDRESS, sender = authorizer): Uint8Array | null {
    const definition = abiFunction("addOneOffLockWhitelistAddress", ["string", "int256"], []);
    const data = fromHex(definition.selector + toHex(encodeValues(definition.inputs, [address, maximum])));
    const setup = { network: main, state, block: { number: HEIGHT }, transaction: { sender } };
    return contract.execute(data, recordCall(setup).context);
  }

  it("stores a negative maximum in two's complement, which cannot be read back with 8 bytes", () => {
    const state = emptyState();
    assert.equal(toHex(add(state, -256n)!), "1".padStart(64, "0"));
    assert.match(stored(state, CELLS.whitelist)!, /82ff00847fffffff$/);
    assert.equal(toHex(add(state, 1n)!), "f".repeat(64));
    const broken = emptyState();
    add(broken, -(1n << 63n));
    assert.throws(() => add(broken, 1n), { code: "METHOD_FAILED" });
  });

  it("checks only the version of an address, and cannot read back other lengths", () => {
    const code = (value: bigint): string => toHex(encodeValues([abiType("int256")], [value]));
    const stranger = new Uint8Array(20);
    const nothing = encodeBase58Check(new Uint8Array(0));
    assert.throws(() => add(emptyState(), 1n, nothing, stranger), { code: "METHOD_FAILED" });
    assert.equal(toHex(add(emptyState(), 1n, encodeBase58Check(new Uint8Array(21).fill(1)))!), code(-2n));
    for (const length of [0, 1, 19, 21]) {
      const address = encodeBase58Check(new Uint8Array(1 + length));
      const state = emptyState();
      assert.equal(toHex(add(state, 1n, address, stranger)!), code(-10n));
      assert.equal(toHex(add(state, 1n, address)!), code(1n));
      assert.throws(() => add(state, 1n), { code: "METHOD_FAILED" }, `length ${length}`);
    }
  });
});
