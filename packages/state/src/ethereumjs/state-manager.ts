import { EMPTY_BYTES, EMPTY_TRIE_ROOT, equalBytes, toHex } from "@cambium/primitives";
import type { NodeReader } from "@cambium/trie";
import { JournaledState } from "../journaled-state.js";
import type { TrieState } from "../keyed-state.js";
import { openState } from "../state-view.js";
import { JournaledStateManager, unsupported } from "./journaled-state-manager.js";

/** Keeps new nodes in memory on top of a read-only store. */
class Overlay implements NodeReader {
  readonly entries = new Map<string, Uint8Array>();

  constructor(readonly below: NodeReader) {}

  get(hash: Uint8Array, key: Uint8Array, start: number): Uint8Array | undefined {
    return this.entries.get(toHex(hash)) ?? this.below.get(hash, key, start);
  }

  put(hash: Uint8Array, bytes: Uint8Array): void {
    this.entries.set(toHex(hash), bytes);
  }
}

/**
 * Presents the state of a node store to EthereumJS tools, see {@link JournaledStateManager}. Changes stay in memory;
 * the store is never written. Roots can be computed, set and copied only without an open checkpoint; otherwise these
 * methods throw {@link StateError} `UNSUPPORTED`.
 */
export class EthereumJsStateManager extends JournaledStateManager<TrieState> {
  readonly #store: Overlay;

  constructor(reader: NodeReader, root: Uint8Array = EMPTY_TRIE_ROOT) {
    const store = new Overlay(reader);
    super(new JournaledState(openState(store, root)));
    this.#store = store;
  }

  override async getStateRoot(): Promise<Uint8Array> {
    return this.#flush();
  }

  override async setStateRoot(root: Uint8Array): Promise<void> {
    this.#requireNoCheckpoint("setting a root");
    this.#open(root);
  }

  override async hasStateRoot(root: Uint8Array): Promise<boolean> {
    return equalBytes(root, EMPTY_TRIE_ROOT) || this.#store.get(root, EMPTY_BYTES, 0) !== undefined;
  }

  override shallowCopy(): EthereumJsStateManager {
    const root = this.#flush();
    return new EthereumJsStateManager(this.#store, root);
  }

  /** Computes the root of all changes so far and keeps its nodes in memory. */
  #flush(): Uint8Array {
    this.#requireNoCheckpoint("computing a root");
    const { root, state: after } = this.state.commit();
    after.save(this.#store);
    this.#open(root);
    return root;
  }

  #open(root: Uint8Array): void {
    this.state = new JournaledState(openState(this.#store, root));
    this.originalStorageCache.clear();
  }

  #requireNoCheckpoint(what: string): void {
    if (this.hasCheckpoint) throw unsupported(`${what} with an open checkpoint`);
  }
}
