import type { ForkConfig } from "@cambium/config";
import {
  append,
  bigintToBytes,
  concatBytes,
  encodeRlp,
  equalBytes,
  keccak256,
  numberToBytes,
} from "@cambium/primitives";
import type { StateChunk, Trie, TrieEntry } from "@cambium/trie";
import { encodeAccount } from "./account.js";
import { StateError } from "./errors.js";
import type { KeyedState, StateChange } from "./keyed-state.js";
import { ACCOUNT_KEY_LENGTH, accountKey, cellKey, codeKey, markerKey } from "./keys.js";

/** The state of another chain after one block, which never changes. */
export interface ForkValues {
  get(key: Uint8Array): Uint8Array | undefined;
  /** Yields entries, see {@link KeyedState.entries}. Throws if the source cannot list its keys. */
  entries(prefix?: Uint8Array, maxKeyBytes?: number): Iterable<TrieEntry>;
}

// Key domains of the local state besides that of accounts, 00 (`spec/01 §4.4`).
const ACCOUNTS = Uint8Array.of(0x00);
/** Domain 01 || key: the source has the key, but the fork does not. */
const REMOVED = 0x01;
/** Key 02: the block at which the fork begins. */
const ORIGIN_KEY = Uint8Array.of(0x02);

/** Value: only the key itself is removed. */
const KEY_REMOVED = Uint8Array.of(1);
/** Value: all keys of the account are removed. */
const ACCOUNT_REMOVED = Uint8Array.of(2);
const MARKER = Uint8Array.of(1);

/**
 * The state of a fork: that of its source after one block, and the differences in a local state. The root is that of
 * the local state. The local state contains each key whose value differs from the source's, the removed keys, and the
 * identity of the source's block. The root is therefore a commitment to the whole state, and can be computed without
 * reading the rest of the source.
 */
export class ForkedState implements KeyedState {
  constructor(
    /** Differences from the source. */
    readonly local: KeyedState,
    private readonly source: ForkValues,
  ) {}

  get root(): Uint8Array {
    return this.local.root;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.local.get(key) ?? (this.isRemoved(key) ? undefined : this.source.get(key));
  }

  valueLength(key: Uint8Array): number {
    return this.get(key)?.length ?? 0;
  }

  valueHash(key: Uint8Array): Uint8Array | undefined {
    const value = this.get(key);
    return value && keccak256(value);
  }

  *entries(prefix: Uint8Array = ACCOUNTS, maxKeyBytes?: number): Generator<TrieEntry> {
    const own = this.local.entries(prefix, maxKeyBytes)[Symbol.iterator]();
    const others = this.source.entries(prefix, maxKeyBytes)[Symbol.iterator]();
    let [mine, other] = [own.next(), others.next()];
    while (mine.done !== true || other.done !== true) {
      const order = mine.done === true ? 1 : other.done === true ? -1 : Buffer.compare(mine.value.key, other.value.key);
      if (order <= 0) yield mine.value as TrieEntry;
      else if (!this.isRemoved((other.value as TrieEntry).key)) yield other.value as TrieEntry;
      if (order <= 0) mine = own.next();
      if (order >= 0) other = others.next();
    }
  }

  /** Always throws {@link StateError} `UNSUPPORTED`: there is no trie of the whole state. */
  pathTo(): ReturnType<Trie["pathTo"]> {
    throw unsupported("a proof of the state of a fork");
  }

  /** Always throws, like {@link pathTo}. */
  nodeHash(): Uint8Array | undefined {
    throw unsupported("the storage root in a fork");
  }

  /** Always throws, like {@link pathTo}. */
  stateSize(): number {
    throw unsupported("a snapshot of a fork");
  }

  /** Always throws, like {@link pathTo}. */
  stateChunk(): StateChunk | undefined {
    throw unsupported("a snapshot of a fork");
  }

  after(changes: readonly StateChange[]): this {
    let state: ForkedState = this;
    let pending: StateChange[] = [];
    for (const change of changes) {
      if (!change.isPrefix) {
        append(pending, state.changed(change));
        continue;
      }
      // Later changes of the same account depend on the removal.
      state = state.with(pending);
      pending = [];
      state = state.with(state.withoutAccount(change.key));
    }
    return state.with(pending) as this;
  }

  private with(changes: readonly StateChange[]): ForkedState {
    return changes.length === 0 ? this : new ForkedState(this.local.after(changes), this.source);
  }

  /** Returns the changes of the local state for a new value: it contains only differences from the source. */
  private changed({ key, value }: StateChange): StateChange[] {
    const given = value?.length === 0 ? undefined : value;
    const inherited = this.isWithRemovedAccount(key) ? undefined : this.source.get(key);
    const isInherited = given === undefined ? inherited === undefined : inherited && equalBytes(given, inherited);
    const removed = given === undefined && inherited !== undefined ? KEY_REMOVED : undefined;
    const change = { key, value: isInherited ? undefined : given };
    if (isAccountKey(key) && this.isWithRemovedAccount(key)) return [change];
    return [change, { key: removalKey(key), value: removed }];
  }

  private withoutAccount(key: Uint8Array): StateChange[] {
    if (this.get(key) === undefined) return [];
    const removal = removalKey(key);
    const isInherited = this.local.get(removal) !== undefined || this.source.get(key) !== undefined;
    return [
      // A prefix is removed only if it has a value itself.
      { key, value: MARKER },
      { key, value: undefined, isPrefix: true },
      { key: removal, value: MARKER },
      { key: removal, value: undefined, isPrefix: true },
      ...(isInherited ? [{ key: removal, value: ACCOUNT_REMOVED }] : []),
    ];
  }

  private isRemoved(key: Uint8Array): boolean {
    return this.local.get(removalKey(key)) !== undefined || this.isWithRemovedAccount(key);
  }

  private isWithRemovedAccount(key: Uint8Array): boolean {
    if (key.length < ACCOUNT_KEY_LENGTH) return false;
    const removal = this.local.get(removalKey(key.subarray(0, ACCOUNT_KEY_LENGTH)));
    return removal !== undefined && equalBytes(removal, ACCOUNT_REMOVED);
  }
}

function isAccountKey(key: Uint8Array): boolean {
  return key.length === ACCOUNT_KEY_LENGTH;
}

function removalKey(key: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(REMOVED), key);
}

function unsupported(what: string): StateError {
  return new StateError({ code: "UNSUPPORTED", what });
}

/** Returns the initial local state of a fork: the identity of its block, and the funded accounts. */
export function forkOrigin({ number, hash, accounts }: ForkConfig): StateChange[] {
  const changes: StateChange[] = [{ key: ORIGIN_KEY, value: encodeRlp([numberToBytes(number), hash]) }];
  for (const { address, balance, nonce = 0n, code, storage } of accounts) {
    const key = accountKey(address);
    changes.push({ key, value: encodeAccount({ nonce, balance, flags: 0 }) });
    if (code !== undefined || storage !== undefined) changes.push({ key: markerKey(key), value: MARKER });
    if (code !== undefined) changes.push({ key: codeKey(key), value: code });
    for (const { slot, value } of storage ?? []) changes.push({ key: cellKey(key, slot), value });
  }
  return changes;
}

/** Returns a cell's word as stored; undefined for zero. */
export function storedWord(word: bigint): Uint8Array | undefined {
  return word === 0n ? undefined : bigintToBytes(word);
}
