import assert from "node:assert/strict";
import { REWARD_SENDER } from "@cambium/config";
import { bigintToBytes, bigintToFixedBytes, fromHex, toHex } from "@cambium/primitives";
import { MemoryStore } from "@cambium/test-utils/memory-store";
import { fc, runs } from "@cambium/test-utils/properties";
import { NodeCache, Trie } from "@cambium/trie";
import { decodeAccount, encodeAccount } from "../src/account.js";
import { accountKey, cellKey, JournaledState, openState } from "../src/index.js";
import { codeKey, markerKey } from "../src/keys.js";

/** spec/01 §4.6 as a plain map from trie keys to values; a checkpoint is a copy of the map. */
class Model {
  entries = new Map<string, Uint8Array>();

  private put(key: Uint8Array, value: Uint8Array | undefined): void {
    if (value === undefined || value.length === 0) this.entries.delete(toHex(key));
    else this.entries.set(toHex(key), value);
  }

  exists(address: Uint8Array): boolean {
    return this.entries.has(toHex(accountKey(address)));
  }

  account(address: Uint8Array): { nonce: bigint; balance: bigint } {
    const value = this.entries.get(toHex(accountKey(address)));
    return value === undefined ? { nonce: 0n, balance: 0n } : decodeAccount(value);
  }

  setAccount(address: Uint8Array, nonce: bigint, balance: bigint): void {
    this.put(accountKey(address), encodeAccount({ nonce, balance, flags: 0 }));
  }

  mark(address: Uint8Array): void {
    this.put(markerKey(accountKey(address)), Uint8Array.of(1));
  }

  setCode(address: Uint8Array, code: Uint8Array): void {
    this.put(codeKey(accountKey(address)), code);
    if (code.length > 0 && !this.exists(address)) this.setAccount(address, 0n, 0n);
  }

  setCell(address: Uint8Array, slot: bigint, value: Uint8Array | undefined): void {
    if (!this.exists(address)) {
      this.setAccount(address, 0n, 0n);
      this.mark(address);
    }
    this.put(cellKey(accountKey(address), bigintToFixedBytes(slot, 32)), value);
  }

  delete(address: Uint8Array): void {
    if (!this.exists(address)) return;
    const prefix = toHex(accountKey(address));
    for (const key of this.entries.keys()) if (key.startsWith(prefix)) this.entries.delete(key);
  }

  root(): Uint8Array {
    const trie = new Trie();
    for (const [key, value] of this.entries) trie.put(fromHex(key), value);
    return trie.hash();
  }
}

const ADDRESSES = [REWARD_SENDER, ...["11", "12", "ee"].map((byte) => fromHex(byte.repeat(20)))];
const SLOTS = [0n, 1n, 255n, 2n ** 200n];

interface Step {
  kind: number;
  address: Uint8Array;
  slot: bigint;
  amount: bigint;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.nat(16),
  address: fc.constantFrom(...ADDRESSES),
  slot: fc.constantFrom(...SLOTS),
  amount: fc.constantFrom(0n, 1n, 200n, 2n ** 90n),
});

/** Applies one step to the state and to the model, with their checkpoints on a stack. */
class Pair {
  readonly store = new MemoryStore();
  readonly cache = new NodeCache(100);
  state = new JournaledState(openState(this.store, undefined, this.cache));
  readonly model = new Model();
  private checkpoints: { checkpoint: number; entries: Map<string, Uint8Array> }[] = [];

  apply({ kind, address, slot, amount }: Step): void {
    const { state, model } = this;
    const { nonce, balance } = model.account(address);
    const code = new Uint8Array(Number(amount % 100n)).fill(0x5b);
    const raw = new Uint8Array(Number(amount % 99n));
    const both = (onState: () => void, onModel: () => void): void => {
      onState();
      onModel();
    };
    const cell = bigintToFixedBytes(slot, 32);
    const word = bigintToBytes(amount);
    const mark = model.exists(address);
    const save = () => this.checkpoints.push({ checkpoint: state.checkpoint(), entries: new Map(model.entries) });
    const setCell = () =>
      both(
        () => state.setStorage(address, slot, amount),
        () => model.setCell(address, slot, word),
      );
    const setAccount = (onState: () => void, nonce: bigint, balance: bigint) =>
      both(onState, () => model.setAccount(address, nonce, balance));
    const steps: (() => void)[] = [
      () => setAccount(() => state.createAccount(address), 0n, 0n),
      () => setAccount(() => state.createAccount(address, true), 0n, balance),
      () => setAccount(() => state.setNonce(address, amount), amount, balance),
      () => setAccount(() => state.incrementNonce(address), nonce + 1n, balance),
      () => setAccount(() => state.addBalance(address, amount), nonce, balance + amount),
      // A marker without an account survives deletions in the same block; see journaled-state.test.ts.
      () =>
        both(
          () => mark && state.markContract(address),
          () => mark && model.mark(address),
        ),
      () =>
        both(
          () => state.setCode(address, code),
          () => model.setCode(address, code),
        ),
      setCell,
      setCell,
      () =>
        both(
          () => state.setStorageBytes(address, cell, raw),
          () => model.setCell(address, slot, raw),
        ),
      () =>
        both(
          () => state.deleteAccount(address),
          () => model.delete(address),
        ),
      save,
      save,
      () => this.revert(),
      () => this.commit(slot === 0n),
      () => this.commit(true),
      () => this.preview(),
    ];
    steps[kind]!();
  }

  private revert(): void {
    const last = this.checkpoints.pop();
    if (last === undefined) return;
    this.state.revertTo(last.checkpoint);
    this.model.entries = last.entries;
  }

  /** Ends a block; the next one continues on the same state or on the reopened store. */
  private commit(reopen: boolean): void {
    const { root, state: after } = this.state.commit();
    assert.equal(toHex(root), toHex(this.model.root()));
    this.checkpoints = [];
    if (!reopen) return;
    after.save(this.store);
    this.state = new JournaledState(openState(this.store, root, this.cache));
  }

  private preview(): void {
    const { root, state } = this.state.preview();
    assert.equal(toHex(root), toHex(this.model.root()));
    const entries = new Map([...state.entries()].map(({ key, value }) => [toHex(key), value]));
    assert.deepEqual(entries, new Map([...this.model.entries].sort(([a], [b]) => (a < b ? -1 : 1))));
  }

  compare(): void {
    const { state, model } = this;
    for (const address of ADDRESSES) {
      assert.equal(state.exists(address), model.exists(address));
      assert.equal(state.getNonce(address), model.account(address).nonce);
      assert.equal(state.getBalance(address), model.account(address).balance);
      const key = accountKey(address);
      assert.equal(state.isContract(address), model.entries.has(toHex(markerKey(key))));
      const code = model.exists(address)
        ? (model.entries.get(toHex(codeKey(key))) ?? new Uint8Array(0))
        : new Uint8Array(0);
      assert.equal(state.getCodeSize(address), code.length);
      assert.deepEqual(state.getCode(address), code);
      for (const slot of SLOTS) {
        const cell = bigintToFixedBytes(slot, 32);
        assert.deepEqual(state.getStorageBytes(address, cell), model.entries.get(toHex(cellKey(key, cell))));
      }
    }
  }
}

describe("world state against a map model", () => {
  for (const [name, compareEach] of [
    ["compared after every step", true],
    ["compared only at the end, so that little is cached", false],
  ] as const) {
    it(`random operations, ${name}`, () => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
          const pair = new Pair();
          for (const step of steps) {
            pair.apply(step);
            if (compareEach) pair.compare();
          }
          pair.compare();
          assert.equal(toHex(pair.state.commit().root), toHex(pair.model.root()));
        }),
        { numRuns: runs(compareEach ? 100 : 600) },
      );
    });
  }
});
