import assert from "node:assert/strict";
import { NETWORKS, rulesAt } from "@cambium/config";
import { bigintToFixedBytes, toHex } from "@cambium/primitives";
import { MemoryStore } from "@cambium/test-utils/memory-store";
import { fc, runs } from "@cambium/test-utils/properties";
import { JournaledState, openState } from "../src/index.js";

/** Before RSKIP-169, when the hash of an empty code says whether it was written. */
const rules = { ...rulesAt(NETWORKS.local, 1), rskip169: false };
/** Accounts of one state and of the other one. */
const SIDES = [
  [0x11, 0x12, 0x13],
  [0x21, 0x22, 0x23],
].map((side) => side.map((byte) => new Uint8Array(20).fill(byte)));
const ADDRESSES = SIDES.flat();
const SLOTS = [0n, 1n, 2n ** 200n];

interface Step {
  kind: number;
  account: number;
  slot: bigint;
  amount: bigint;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.nat(11),
  account: fc.nat(2),
  slot: fc.constantFrom(...SLOTS),
  amount: fc.constantFrom(0n, 1n, 200n, 2n ** 90n),
});
const steps = fc.array(step, { maxLength: 25 });

/** Applies steps to the accounts of a side. */
function change(state: JournaledState, accounts: readonly Uint8Array[], all: readonly Step[]): void {
  const checkpoints = [state.checkpoint()];
  for (const { kind, account, slot, amount } of all) {
    const address = accounts[account]!;
    const cell = bigintToFixedBytes(slot, 32);
    const actions: (() => unknown)[] = [
      () => state.createAccount(address, amount > 0n),
      () => state.incrementNonce(address),
      () => state.addBalance(address, amount),
      () => state.markContract(address),
      () => state.setCode(address, new Uint8Array(Number(amount % 50n)).fill(0x5b)),
      () => state.setStorage(address, slot, amount),
      () => state.setStorageBytes(address, cell, new Uint8Array(Number(amount % 70n))),
      () => state.deleteAccount(address),
      () => state.getStorageBytes(address, cell),
      () => state.getCodeHash(address, rules),
      () => checkpoints.push(state.checkpoint()),
      () => state.revertTo(checkpoints[Number(amount) % checkpoints.length]!),
    ];
    actions[kind]!();
    const position = state.checkpoint();
    while (checkpoints.at(-1)! > position) checkpoints.pop();
  }
}

function contents(state: JournaledState): unknown[] {
  return ADDRESSES.map((address) => [
    state.exists(address),
    state.getNonce(address),
    state.getBalance(address),
    state.isContract(address),
    toHex(state.getCode(address)),
    toHex(state.getCodeHash(address, rules)),
    SLOTS.map((slot) => state.getStorageBytes(address, bigintToFixedBytes(slot, 32))),
  ]);
}

describe("the layer of a state", () => {
  it("makes the same changes in another state, which continues as if they had been made there", () => {
    fc.assert(
      fc.property(steps, steps, steps, steps, (before, mine, others, later) => {
        const store = new MemoryStore();
        const base = new JournaledState(openState(store));
        for (const side of SIDES) change(base, side, before);
        const { root, state } = base.commit();
        state.save(store);
        const open = () => new JournaledState(openState(store, root));
        const [expected, adopting, apart] = [open(), open(), open()];
        for (const one of [expected, adopting]) change(one, SIDES[0]!, mine);
        for (const one of [expected, apart]) change(one, SIDES[1]!, others);
        adopting.adopt(structuredClone(apart.layer()));
        assert.deepEqual(adopting.preview().changes, expected.preview().changes);
        assert.deepEqual(contents(adopting), contents(expected));
        for (const one of [expected, adopting]) for (const side of SIDES) change(one, side, later);
        assert.deepEqual(contents(adopting), contents(expected));
        assert.deepEqual(adopting.commit().root, expected.commit().root);
      }),
      { numRuns: runs(300) },
    );
  });

  it("is empty if nothing was changed", () => {
    const state = new JournaledState(openState());
    state.getBalance(ADDRESSES[0]!);
    state.addBalance(ADDRESSES[0]!, 1n);
    state.commit();
    state.getNonce(ADDRESSES[0]!);
    assert.deepEqual(state.layer(), []);
  });
});
