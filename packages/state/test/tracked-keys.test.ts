import assert from "node:assert/strict";
import { NETWORKS, rulesAt } from "@cambium/config";
import { bigintToFixedBytes, fromHex, toHex } from "@cambium/primitives";

import { accountKey, cellKey, JournaledState, openState, type WorldState } from "../src/index.js";
import { codeKey, markerKey } from "../src/keys.js";

const ABSENT = fromHex("99170fbb183477a35a94c9bf390b770209d32a59");
const PLAIN = fromHex("6c0e31499bf02969ca42d203e566bcc696de08fa");
const CONTRACT = fromHex("11".repeat(20));
const rules = rulesAt(NETWORKS.local, 100);

function prepared(): JournaledState {
  const state = new JournaledState(openState());
  state.addBalance(PLAIN, 1n);
  state.createAccount(CONTRACT);
  state.markContract(CONTRACT);
  state.setCode(CONTRACT, Uint8Array.of(0x5b));
  state.commit();
  return state;
}

type Kind = "account" | "marker" | "code" | "cell";

function keyOf(address: Uint8Array, kind: Kind): string {
  const account = accountKey(address);
  if (kind === "account") return toHex(account);
  if (kind === "marker") return toHex(markerKey(account));
  return toHex(kind === "code" ? codeKey(account) : cellKey(account, bigintToFixedBytes(7n, 32)));
}

/** The table of spec/02 §6.4: operation, address, kinds of keys read, kinds written. */
const table: readonly [
  name: string,
  address: Uint8Array,
  act: (state: WorldState, a: Uint8Array) => unknown,
  reads: Kind[],
  writes: Kind[],
][] = [
  ["exists", ABSENT, (s, a) => s.exists(a), ["account"], []],
  ["getBalance", PLAIN, (s, a) => s.getBalance(a), ["account"], []],
  ["getNonce", PLAIN, (s, a) => s.getNonce(a), ["account"], []],
  ["setNonce", PLAIN, (s, a) => s.setNonce(a, 2n), ["account"], ["account"]],
  ["incrementNonce", ABSENT, (s, a) => s.incrementNonce(a), ["account"], ["account"]],
  ["createAccount", PLAIN, (s, a) => s.createAccount(a), [], ["account"]],
  ["addBalance", PLAIN, (s, a) => s.addBalance(a, 1n), ["account"], ["account"]],
  ["addBalance of 0", PLAIN, (s, a) => s.addBalance(a, 0n), ["account"], []],
  ["addBalance of 0, absent", ABSENT, (s, a) => s.addBalance(a, 0n), ["account"], ["account"]],
  ["deleteAccount", CONTRACT, (s, a) => s.deleteAccount(a), [], ["account"]],
  ["markContract", PLAIN, (s, a) => s.markContract(a), [], ["marker"]],
  ["markContract again", CONTRACT, (s, a) => s.markContract(a), [], ["marker"]],
  ["isContract", PLAIN, (s, a) => s.isContract(a), ["marker"], []],
  ["getStorage", ABSENT, (s, a) => s.getStorage(a, 7n), ["cell"], []],
  ["setStorage", CONTRACT, (s, a) => s.setStorage(a, 7n, 1n), ["account"], ["cell"]],
  ["setStorage, same value", CONTRACT, (s, a) => s.setStorage(a, 7n, 0n), ["account"], ["cell"]],
  ["setStorage, absent", ABSENT, (s, a) => s.setStorage(a, 7n, 0n), ["account"], ["account", "marker", "cell"]],
  ["setCode, empty", PLAIN, (s, a) => s.setCode(a, new Uint8Array(0)), [], ["code"]],
  ["setCode", PLAIN, (s, a) => s.setCode(a, Uint8Array.of(1)), ["account"], ["code"]],
  ["setCode, absent", ABSENT, (s, a) => s.setCode(a, Uint8Array.of(1)), ["account"], ["account", "code"]],
  ["getCode, absent", ABSENT, (s, a) => s.getCode(a), ["account"], []],
  ["getCode", PLAIN, (s, a) => s.getCode(a), ["account", "code"], []],
  ["getCodeSize", CONTRACT, (s, a) => s.getCodeSize(a), ["account", "code"], []],
  ["getCodeHash, absent", ABSENT, (s, a) => s.getCodeHash(a, rules), ["account"], []],
  ["getCodeHash, no marker", PLAIN, (s, a) => s.getCodeHash(a, rules), ["account", "marker"], []],
  ["getCodeHash", CONTRACT, (s, a) => s.getCodeHash(a, rules), ["account", "marker", "code"], []],
  ["setTransientStorage", PLAIN, (s, a) => s.setTransientStorage(a, 7n, 1n), [], []],
  ["getTransientStorage", PLAIN, (s, a) => s.getTransientStorage(a, 7n), [], []],
];

describe("tracked keys", () => {
  for (const [name, address, act, reads, writes] of table) {
    it(name, () => {
      const state = prepared();
      const tracker = { reads: new Set<string>(), writes: new Set<string>() };
      state.trackKeys(tracker);
      const checkpoint = state.checkpoint();
      act(state, address);
      state.revertTo(checkpoint);
      state.trackKeys(undefined);
      act(state, CONTRACT);
      assert.deepEqual([...tracker.reads].sort(), reads.map((kind) => keyOf(address, kind)).sort());
      assert.deepEqual([...tracker.writes].sort(), writes.map((kind) => keyOf(address, kind)).sort());
    });
  }

  it("tracks a transfer as two additions, even of zero", () => {
    const state = prepared();
    const tracker = { reads: new Set<string>(), writes: new Set<string>() };
    state.trackKeys(tracker);
    state.transfer(PLAIN, ABSENT, 0n);
    assert.deepEqual(tracker.reads, new Set([keyOf(PLAIN, "account"), keyOf(ABSENT, "account")]));
    assert.deepEqual(tracker.writes, new Set([keyOf(ABSENT, "account")]));
  });
});
