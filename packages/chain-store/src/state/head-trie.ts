import type { NodeReader, Trie } from "@cambium/trie";
import type { ChangedState } from "./flat-state.js";
import type { OpenTrie } from "./flat-states.js";

/**
 * Owns the trie of the best block's state, in the thread that imports. A state on top of the best block may lease it
 * and change it in place, which is cheaper than changing a copy. The next use of the trie ends the lease.
 */
export class HeadTrie {
  /** Undefined until it is needed. */
  private opened: OpenTrie | undefined;
  /** State to which the leased trie was changed. */
  private holder: ChangedState | undefined;

  /** `open` opens the trie of the best block; `nodes` are those of the newest state. */
  constructor(
    private readonly open: () => OpenTrie,
    private readonly nodes: NodeReader,
  ) {}

  get isOpen(): boolean {
    return this.opened !== undefined;
  }

  /** Ends the lease, and opens the trie if necessary. Throws as `open` does. */
  get(): OpenTrie {
    const { opened, holder } = this;
    // A trie whose change failed is not used again.
    this.forget();
    if (opened !== undefined) holder?.revertTrie(opened.trie);
    this.opened = opened ?? this.open();
    return this.opened;
  }

  /** Returns the trie, to be changed into that of a state. Throws as {@link get} does. */
  lease(to: ChangedState): Trie {
    const { trie } = this.get();
    // Detached storages cannot be reverted key by key. A copy is used, and the new block stores its trie.
    if (to.detached.size > 0) return trie.copy();
    this.holder = to;
    return trie;
  }

  /** The trie of a state, which no longer has it. If that is the leased one, this object no longer has it either. */
  take(state: ChangedState): Trie {
    const trie = state.releaseTrie();
    // Uncopied, the trie would find nodes of storages only while the block that it was opened for can be read.
    if (this.holder !== state) return trie.copy(this.nodes);
    this.forget();
    return trie;
  }

  /** Replaces the trie by the one of a new best block. */
  replace(open: OpenTrie): void {
    this.opened = open;
    this.holder = undefined;
  }

  private forget(): void {
    this.opened = undefined;
    this.holder = undefined;
  }
}
