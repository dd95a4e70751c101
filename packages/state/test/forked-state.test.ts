import assert from "node:assert/strict";
import { equalBytes, toHex } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { Trie } from "@cambium/trie";
import { accountKey, ForkedState, forkOrigin, type StateChange, StateError, TrieState } from "../src/index.js";
import { cellKey, codeKey, markerKey } from "../src/keys.js";
import { isForkFailure } from "../src/node-failure.js";

const ADDRESSES = [1, 2, 3].map((number) => new Uint8Array(20).fill(number));
const ACCOUNTS = ADDRESSES.map(accountKey);
const CELLS = [0, 1, 200].map((last) => new Uint8Array(32).fill(last, 31));
const KEYS = ACCOUNTS.flatMap((account) => [
  account,
  markerKey(account),
  codeKey(account),
  ...CELLS.map((cell) => cellKey(account, cell)),
]);
const FORK = {
  source: "http://localhost",
  chainId: 33,
  number: 7,
  hash: new Uint8Array(32).fill(9),
  header: new Uint8Array(0),
  totalDifficulty: 1n,
  selector: "hash" as const,
  accounts: [],
};

/** The state of the forked chain. */
function stateOf(values: readonly StateChange[]): TrieState {
  return new TrieState(new Trie()).after(values);
}

function forked(source: TrieState): ForkedState {
  return new ForkedState(new TrieState(new Trie()).after(forkOrigin(FORK)), source);
}

const value = fc.uint8Array({ minLength: 1, maxLength: 40 });
const put = fc.record({ key: fc.constantFrom(...KEYS), value: fc.option(value, { nil: undefined }) });
const wipe = fc.record({
  key: fc.constantFrom(...ACCOUNTS),
  value: fc.constant(undefined),
  isPrefix: fc.constant(true),
});
const blocks = fc.array(fc.array(fc.oneof(put, put, put, wipe), { maxLength: 8 }), { maxLength: 6 });

/**
 * Adds records: cells of an account without record do not occur. An account is created with its first cell, and removed
 * with all of them.
 */
function withRecords(changes: readonly StateChange[]): StateChange[] {
  return changes.flatMap((change) => {
    const isRecord = ACCOUNTS.some((account) => equalBytes(account, change.key));
    if (isRecord && change.value === undefined) return [{ ...change, isPrefix: true }];
    if (change.value === undefined || isRecord) return [change];
    return [{ key: change.key.subarray(0, 31), value: Uint8Array.of(0xc0) }, change];
  });
}

function contents(state: TrieState | ForkedState): string[] {
  return [...state.entries(Uint8Array.of(0))].map(({ key, value }) => `${toHex(key)} ${toHex(value)}`);
}

describe("state of a fork", () => {
  it("is that of the source with the changes, in every read", () => {
    fc.assert(
      fc.property(fc.array(put), blocks, (initial, changed) => {
        const source = stateOf(withRecords(initial));
        let plain: TrieState = source;
        let fork = forked(source);
        for (const changes of changed.map(withRecords)) {
          plain = plain.after(changes);
          fork = fork.after(changes);
          for (const key of KEYS) {
            assert.deepEqual(fork.get(key), plain.get(key));
            assert.equal(fork.valueLength(key), plain.valueLength(key));
            assert.deepEqual(fork.valueHash(key), plain.valueHash(key));
          }
          assert.deepEqual(contents(fork), contents(plain));
          for (const account of ACCOUNTS) {
            const listed = (state: TrieState | ForkedState) => [...state.entries(account)].map(({ key }) => toHex(key));
            assert.deepEqual(listed(fork), listed(plain));
          }
        }
      }),
    );
  });

  it("has a root that depends on what differs from the source only, however it came about", () => {
    fc.assert(
      fc.property(fc.array(put), fc.array(put), fc.array(put), (initial, first, last) => {
        const source = stateOf(initial);
        const direct = forked(source).after(last);
        const there = forked(source).after(first);
        const back = KEYS.map((key) => ({ key, value: source.get(key) }));
        assert.deepEqual(there.after(back).root, forked(source).root);
        assert.deepEqual(there.after(back).after(last).root, direct.root);
      }),
    );
  });

  it("has another root than that of another block, or with other funded accounts", () => {
    const source = stateOf([]);
    const root = (fork: typeof FORK) =>
      toHex(new ForkedState(new TrieState(new Trie()).after(forkOrigin(fork)), source).root);
    const accounts = [{ address: ADDRESSES[0]!, balance: 5n, nonce: 2n, code: Uint8Array.of(1) }] as never;
    const roots = [FORK, { ...FORK, number: 8 }, { ...FORK, hash: new Uint8Array(32) }, { ...FORK, accounts }].map(
      root,
    );
    assert.equal(new Set(roots).size, 4);
  });

  it("reads no value of the source that is changed, and none below a removed account", () => {
    const asked: string[] = [];
    const source = {
      get: (key: Uint8Array) => {
        asked.push(toHex(key));
        return Uint8Array.of(5);
      },
      entries: () => [],
    };
    const fork = new ForkedState(new TrieState(new Trie()), source);
    const [account, other] = ACCOUNTS as [Uint8Array, Uint8Array];
    const changed = fork.after([
      { key: account, value: undefined, isPrefix: true },
      { key: other, value: Uint8Array.of(7) },
    ]);
    asked.length = 0;
    assert.deepEqual(changed.get(other), Uint8Array.of(7));
    assert.equal(changed.get(codeKey(account)), undefined);
    assert.equal(changed.get(cellKey(account, CELLS[1]!)), undefined);
    assert.deepEqual(asked, []);
  });

  it("refuses proofs and snapshots, since there is no trie of the whole state", () => {
    const fork = forked(stateOf([]));
    for (const ask of [() => fork.pathTo(), () => fork.nodeHash(), () => fork.stateSize(), () => fork.stateChunk()]) {
      assert.throws(
        ask,
        (error) => error instanceof StateError && error.code === "UNSUPPORTED" && !isForkFailure(error),
      );
    }
  });
});
