import assert from "node:assert/strict";
import { NETWORKS, REWARD_SENDER, rulesAt } from "@cambium/config";
import { EMPTY_KECCAK, fromHex, keccak256 } from "@cambium/primitives";
import { MemoryStore } from "@cambium/test-utils/memory-store";
import { NodeCache, Trie } from "@cambium/trie";
import {
  accountKey,
  JournaledState,
  type KeyedStateView,
  openState,
  StateError,
  setUpNativeContracts,
  type TrieState,
} from "../src/index.js";

const A = fromHex("99170fbb183477a35a94c9bf390b770209d32a59");
const B = fromHex("6c0e31499bf02969ca42d203e566bcc696de08fa");
const CODE = fromHex("6001600055");
const CELL_0 = new Uint8Array(32);
const before169 = rulesAt(NETWORKS.main, 3_614_799);
const from169 = rulesAt(NETWORKS.main, 3_614_800);
const ZERO_HASH = new Uint8Array(32);

function emptyState(): JournaledState<TrieState> {
  return new JournaledState(openState());
}

/** Stores the pending changes of `state` and reopens it. */
function reopen(state: JournaledState<TrieState>, store: MemoryStore): KeyedStateView<TrieState> {
  const { root, state: after } = state.commit();
  after.save(store);
  return openState(store, root, new NodeCache());
}

describe("world state: accounts", () => {
  it("reads create nothing", () => {
    const state = emptyState();
    assert.equal(state.exists(A), false);
    assert.equal(state.getBalance(A), 0n);
    assert.equal(state.getNonce(A), 0n);
    assert.equal(state.getStorage(A, 1n), 0n);
    assert.equal(state.getCodeSize(A), 0);
    assert.equal(state.isContract(A), false);
    assert.deepEqual(state.commit().root, new Trie().hash());
  });

  it("adding zero creates an absent account", () => {
    const state = emptyState();
    state.addBalance(A, 0n);
    assert.equal(state.exists(A), true);
    const root = state.commit().root;
    state.addBalance(A, 0n);
    assert.deepEqual(state.commit().root, root);
  });

  it("a transfer of zero creates both accounts", () => {
    const state = emptyState();
    state.transfer(A, B, 0n);
    assert.ok(state.exists(A) && state.exists(B));
  });

  it("creating an account resets its record and keeps the rest", () => {
    const state = emptyState();
    state.addBalance(A, 5n);
    state.incrementNonce(A);
    state.markContract(A);
    state.setStorage(A, 3n, 4n);
    state.createAccount(A, true);
    assert.deepEqual([state.getNonce(A), state.getBalance(A), state.getStorage(A, 3n)], [0n, 5n, 4n]);
    state.createAccount(A);
    assert.deepEqual([state.getBalance(A), state.isContract(A)], [0n, true]);
  });

  it("the sender of reward transactions differs from the zero address", () => {
    const state = emptyState();
    state.incrementNonce(REWARD_SENDER);
    assert.equal(state.exists(new Uint8Array(20)), false);
    const view = reopen(state, new MemoryStore());
    assert.deepEqual([...view.accounts()], [{ address: REWARD_SENDER, nonce: 1n, balance: 0n }]);
  });

  it("a caller may reuse an address array", () => {
    const state = emptyState();
    const scratch = A.slice();
    state.addBalance(scratch, 7n);
    scratch.set(B.subarray(0, 19));
    assert.equal(state.getBalance(scratch), 0n);
    assert.equal(state.getBalance(A), 7n);
  });
});

describe("world state: cells", () => {
  it("writing to an absent account creates it with its marker, even for a deletion", () => {
    for (const value of [0n, 1n]) {
      const state = emptyState();
      state.setStorage(A, 1n, value);
      assert.ok(state.exists(A) && state.isContract(A));
    }
  });

  it("writing to an existing account adds no marker", () => {
    const state = emptyState();
    state.addBalance(A, 1n);
    state.setStorage(A, 1n, 1n);
    assert.equal(state.isContract(A), false);
  });

  it("words and raw bytes are two views of one cell", () => {
    const store = new MemoryStore();
    const state = emptyState();
    state.setStorage(A, 0n, 0x1234n);
    assert.deepEqual(state.getStorageBytes(A, CELL_0), fromHex("1234"));
    state.setStorageBytes(A, CELL_0, Uint8Array.of(0));
    assert.deepEqual(state.getStorageBytes(A, CELL_0), Uint8Array.of(0));
    assert.equal(state.getStorage(A, 0n), 0n);
    const view = reopen(state, store);
    assert.deepEqual(view.getStorageBytes(A, CELL_0), Uint8Array.of(0));
    const next = new JournaledState(view);
    assert.equal(next.getStorage(A, 0n), 0n);
    next.setStorage(A, 0n, 0n);
    assert.equal(next.getStorageBytes(A, CELL_0), undefined);
    assert.equal(reopen(next, store).getStorageBytes(A, CELL_0), undefined);
  });

  it("a long cell cannot be read as a word", () => {
    const state = emptyState();
    state.setStorageBytes(A, CELL_0, new Uint8Array(33).fill(1));
    const view = reopen(state, new MemoryStore());
    for (const reader of [state, view]) {
      assert.throws(
        () => reader.getStorage(A, 0n),
        (error) => error instanceof StateError && error.code === "CELL_TOO_LONG",
      );
      assert.equal(reader.getStorageBytes(A, CELL_0)?.length, 33);
    }
  });

  it("entries carry 32-byte keys", () => {
    const state = emptyState();
    const slots = [0n, 1n, 0x100n, 2n ** 255n];
    for (const slot of slots) state.setStorage(A, slot, slot + 1n);
    state.setCode(A, CODE);
    const found = [...reopen(state, new MemoryStore()).storageEntries(A)];
    const read = found.map(({ key, value }) => [BigInt(`0x${Buffer.from(key).toString("hex")}`), value] as const);
    assert.deepEqual(new Set(read.map(([slot]) => slot)), new Set(slots));
    assert.ok(found.every(({ key }) => key.length === 32));
  });

  it("transient cells are reverted and cleared", () => {
    const state = emptyState();
    state.setTransientStorage(A, 1n, 5n);
    const checkpoint = state.checkpoint();
    state.setTransientStorage(A, 1n, 0n);
    state.clearTransientStorage();
    state.setTransientStorage(A, 1n, 9n);
    state.revertTo(checkpoint);
    assert.equal(state.getTransientStorage(A, 1n), 5n);
    assert.equal(state.getTransientStorage(B, 1n), 0n);
    state.clearTransientStorage();
    assert.equal(state.getTransientStorage(A, 1n), 0n);
    assert.deepEqual(state.commit().root, new Trie().hash());
  });
});

describe("world state: all cells of an account", () => {
  const contract = new Uint8Array(20).fill(0x51);
  const store = new MemoryStore();
  const base = new JournaledState(openState(store, new Trie().hash()));
  for (let slot = 1n; slot <= 3n; slot++) base.setStorage(contract, slot, slot * 10n);
  const { root, state: after } = base.commit();
  after.save(store);

  it("are those of the trie plus pending changes", () => {
    const state = new JournaledState(openState(store, root));
    const tracker = { reads: new Set<string>(), writes: new Set<string>() };
    state.setStorage(contract, 1n, 0n);
    state.setStorage(contract, 2n, 99n);
    state.setStorage(contract, 7n, 5n);
    state.trackKeys(tracker);
    const cells = [...state.storageCells(contract)].sort(([a], [b]) => Number(a - b));
    assert.deepEqual(cells, [
      [2n, Uint8Array.of(99)],
      [3n, Uint8Array.of(30)],
      [7n, Uint8Array.of(5)],
    ]);
    assert.deepEqual(state.peekStorage(contract, 3n), Uint8Array.of(30));
    assert.equal(state.peekStorage(contract, 1n), undefined);
    assert.equal(tracker.reads.size + tracker.writes.size, 0);
  });

  it("are removed with the account", () => {
    const state = new JournaledState(openState(store, root));
    state.deleteAccount(contract);
    assert.equal(state.storageCells(contract).size, 0);
    state.setStorage(contract, 9n, 1n);
    assert.deepEqual([...state.storageCells(contract)], [[9n, Uint8Array.of(1)]]);
  });
});

describe("world state: code", () => {
  it("non-empty code creates the account, empty code does not", () => {
    const state = emptyState();
    state.setCode(A, new Uint8Array(0));
    assert.equal(state.exists(A), false);
    state.setCode(A, CODE);
    assert.equal(state.exists(A), true);
    assert.deepEqual([state.getCode(A), state.getCodeSize(A)], [CODE, 5]);
  });

  it("computes the code hash of each case", () => {
    const store = new MemoryStore();
    const state = emptyState();
    assert.deepEqual(state.getCodeHash(A, before169), ZERO_HASH);
    state.setCode(A, CODE);
    assert.deepEqual(state.getCodeHash(A, before169), EMPTY_KECCAK);
    state.markContract(A);
    assert.deepEqual(state.getCodeHash(A, before169), keccak256(CODE));
    const view = reopen(state, store);
    assert.deepEqual(view.getCodeHash(A, before169), keccak256(CODE));
    assert.deepEqual(new JournaledState(view).getCodeHash(A, before169), keccak256(CODE));
    assert.equal(view.getCodeSize(A), 5);
  });

  it("before RSKIP-169 the hash of empty code depends on the block that wrote it", () => {
    const store = new MemoryStore();
    const state = emptyState();
    state.createAccount(A);
    state.markContract(A);
    assert.deepEqual(state.getCodeHash(A, before169), ZERO_HASH);
    const checkpoint = state.checkpoint();
    state.setCode(A, new Uint8Array(0));
    assert.deepEqual(state.getCodeHash(A, before169), EMPTY_KECCAK);
    state.revertTo(checkpoint);
    assert.deepEqual(state.getCodeHash(A, before169), ZERO_HASH);
    state.setCode(A, new Uint8Array(0));
    const view = reopen(state, store);
    for (const reader of [state, view, new JournaledState(view)]) {
      assert.deepEqual(reader.getCodeHash(A, before169), ZERO_HASH);
      assert.deepEqual(reader.getCodeHash(A, from169), EMPTY_KECCAK);
    }
  });
});

describe("world state: deletion", () => {
  function contract(): { store: MemoryStore; view: KeyedStateView<TrieState> } {
    const store = new MemoryStore();
    const state = emptyState();
    state.addBalance(B, 1n);
    state.createAccount(A);
    state.markContract(A);
    state.setCode(A, CODE);
    state.setStorage(A, 1n, 11n);
    return { store, view: reopen(state, store) };
  }

  it("removes record, marker, code and cells", () => {
    const { store, view } = contract();
    const state = new JournaledState(view);
    state.deleteAccount(A);
    assert.equal(state.exists(A) || state.isContract(A), false);
    assert.deepEqual([state.getCodeSize(A), state.getStorage(A, 1n)], [0, 0n]);
    const rest = new JournaledState(openState());
    rest.addBalance(B, 1n);
    assert.deepEqual(reopen(state, store).root, rest.commit().root);
  });

  it("keeps later writes and drops earlier ones", () => {
    const { store, view } = contract();
    const state = new JournaledState(view);
    state.setStorage(A, 2n, 22n);
    state.deleteAccount(A);
    state.addBalance(A, 3n);
    state.setStorage(A, 3n, 33n);
    const after = reopen(state, store);
    for (const reader of [state, after]) {
      assert.equal(reader.getBalance(A), 3n);
      assert.equal(reader.isContract(A), false);
      assert.deepEqual(
        [1n, 2n, 3n].map((slot) => reader.getStorage(A, slot)),
        [0n, 0n, 33n],
      );
    }
  });

  it("other changes that were reverted are not written", () => {
    const { view } = contract();
    const state = new JournaledState(view);
    const start = state.checkpoint();
    state.transfer(A, B, 1n);
    state.markContract(B);
    state.setCode(B, CODE);
    state.setStorage(A, 2n, 22n);
    state.deleteAccount(A);
    state.setStorage(A, 3n, 33n);
    state.revertTo(start);
    assert.deepEqual(state.preview().changes, []);

    state.setStorage(A, 2n, 22n);
    const kept = state.checkpoint();
    state.setStorage(A, 2n, 23n);
    state.setStorage(A, 3n, 33n);
    state.addBalance(B, 1n);
    state.revertTo(kept);
    state.setStorage(A, 4n, 44n);
    const written = state.commit().changes.map(({ key, value }) => `${key.length} ${value}`);
    assert.deepEqual(written, [`${accountKey(A).length + 12} 22`, `${accountKey(A).length + 12} 44`]);
  });

  it("can be reverted completely", () => {
    const { store, view } = contract();
    const state = new JournaledState(view);
    state.setStorage(A, 2n, 22n);
    const checkpoint = state.checkpoint();
    state.deleteAccount(A);
    state.setStorage(A, 3n, 33n);
    state.setCode(A, Uint8Array.of(1));
    state.revertTo(checkpoint);
    state.setStorage(A, 4n, 44n);
    const after = reopen(state, store);
    for (const reader of [state, after]) {
      assert.deepEqual(reader.getCode(A), CODE);
      assert.deepEqual(
        [1n, 2n, 3n, 4n].map((slot) => reader.getStorage(A, slot)),
        [11n, 22n, 0n, 44n],
      );
    }
  });

  it("keeps a marker that was stored without its account", () => {
    const store = new MemoryStore();
    const state = emptyState();
    state.markContract(A);
    const next = new JournaledState(reopen(state, store));
    next.addBalance(A, 1n);
    next.deleteAccount(A);
    assert.equal(next.isContract(A), false);
    const after = reopen(next, store);
    assert.deepEqual([next.isContract(A), after.isContract(A), after.exists(A)], [true, true, false]);
  });

  it("of an absent account does nothing", () => {
    const { store, view } = contract();
    const state = new JournaledState(view);
    state.deleteAccount(fromHex("01".repeat(20)));
    assert.deepEqual(reopen(state, store).root, view.root);
  });
});

describe("native contract set-up", () => {
  it("keeps the accounts of RSKIP-126 and overwrites later ones", () => {
    const state = emptyState();
    const sha256 = fromHex(`${"00".repeat(19)}02`);
    const pairing = fromHex(`${"00".repeat(19)}08`);
    state.addBalance(sha256, 5n);
    state.addBalance(pairing, 5n);
    setUpNativeContracts(state, NETWORKS.main, 1_590_999);
    assert.equal(state.isContract(sha256), false);
    setUpNativeContracts(state, NETWORKS.main, 1_591_000);
    assert.deepEqual(
      [state.isContract(sha256), state.getBalance(sha256), state.isContract(pairing)],
      [true, 5n, false],
    );
    setUpNativeContracts(state, NETWORKS.main, 2_392_700);
    assert.deepEqual([state.isContract(pairing), state.getBalance(pairing)], [true, 0n]);
  });
});
