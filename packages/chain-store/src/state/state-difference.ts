import { mapKey } from "@cambium/database";
import type { Trie } from "@cambium/trie";
import { accountOf, decodeTombstone, isTombstoneKey, keysOfAccount } from "./tombstone.js";

/** An account with a different storage in the second state. */
interface OtherStorage {
  readonly account: Uint8Array;
  /**
   * Hash of the highest node of a storage that differs from the second state's in known keys only; undefined: an empty
   * storage.
   */
  readonly root: Uint8Array | undefined;
}

/** Account record for the time until the second state's is put. */
const ANY_RECORD = Uint8Array.of(1);

/** Keys in which two states may differ, by the changes of the blocks between them and their common ancestor. */
export class StateDifference {
  private readonly keys = new Map<string, Uint8Array>();
  private readonly storages = new Map<string, OtherStorage>();

  get size(): number {
    return this.keys.size;
  }

  /** Whether the first state's trie needs nodes of storages that its branch has destroyed. */
  get attaches(): boolean {
    for (const { root } of this.storages.values()) if (root !== undefined) return true;
    return false;
  }

  /**
   * Notes a key that a block on the way to the first state has changed. Blocks are noted from the highest one down.
   * `valueAfter` returns the value after that block.
   */
  undo(key: Uint8Array, valueAfter: () => Uint8Array | undefined): void {
    if (!isTombstoneKey(key)) {
      this.keys.set(mapKey(key), key);
      return;
    }
    const name = mapKey(accountOf(key));
    const known = this.storages.get(name);
    if (known !== undefined && known.root === undefined) return;
    const value = valueAfter();
    // The lowest block has destroyed the storage of the common ancestor, except for the keys that blocks below have
    // changed.
    if (value !== undefined)
      this.storages.set(name, { account: accountOf(key), root: decodeTombstone(value, key).root });
  }

  /** Notes a key that a block on the way to the second state has changed. */
  make(key: Uint8Array): void {
    if (!isTombstoneKey(key)) {
      this.keys.set(mapKey(key), key);
      return;
    }
    const account = accountOf(key);
    this.storages.set(mapKey(account), { account, root: undefined });
    // Removing the storage removes the account from the trie.
    for (const own of keysOfAccount(account)) this.keys.set(mapKey(own), own);
  }

  /**
   * Changes the trie of the first state into that of the second one, whose values `read` returns. Throws as every
   * change of a trie does.
   */
  applyTo(trie: Trie, read: (key: Uint8Array) => Uint8Array | undefined): void {
    for (const { account, root } of this.storages.values()) {
      if (root === undefined) {
        trie.detach(account);
        continue;
      }
      if (!trie.has(account)) trie.put(account, ANY_RECORD);
      trie.attach(account, root);
    }
    for (const key of this.keys.values()) trie.put(key, read(key));
  }
}
