import { writeUint32 } from "@cambium/database";
import { concatBytes } from "@cambium/primitives";
import { ACCOUNT_KEY_LENGTH, codeKey, markerKey } from "@cambium/state";
import { ChainError } from "../errors.js";

/*
 * A marker of a destroyed storage. When an account is destroyed, a large storage is not removed cell by cell. The flat
 * table gets a tombstone instead: a value of a key that no trie has, the account's marker key and a zero byte. It has
 * versions, and is in diffs, like any value. Each destruction makes one.
 *
 * Cells that were written before the account's tombstone are hidden: their records stay, and earlier states read them.
 * A tombstone is the first entry in the diff of its block: all writes of the block to the storage follow the
 * destruction (`spec/01 §4.6`).
 *
 * The nodes of the storage stay in the store of nodes, complete: the trie of the parent is stored with a block that
 * destroys storages. A tombstone has the hash of the highest of these nodes. The trie of an earlier block, or of
 * another branch, restores the storage from it. The account's next storage must not overwrite these nodes: its own
 * nodes are under separate places, which contain the id of the tombstone.
 *
 * Encoding of the value: the id, which is the number of the block that destroyed the storage (4 bytes) and the
 * beginning of its hash; then the hash of the node.
 */
export interface Tombstone {
  /** Number of the block that destroyed the storage. */
  readonly number: number;
  /** Part of the places of nodes that the account's storage has since. */
  readonly id: Uint8Array;
  /** Hash of the highest node of the destroyed storage. */
  readonly root: Uint8Array;
}

const NUMBER_BYTES = 4;
export const ID_BYTES = 16;
/** Bytes of an encoded tombstone. */
export const TOMBSTONE_BYTES = ID_BYTES + 32;
const KEY_LENGTH = ACCOUNT_KEY_LENGTH + 2;
/** First byte of the keys of accounts and of their data, and the byte after an account key in the keys of a storage. */
const ACCOUNTS = 0x00;
const STORAGE = 0x00;
/** The same byte in the places of nodes of a storage that replaced a destroyed one. */
const LATER_STORAGE = 0x01;

/**
 * Finds the id that is part of the places of nodes of an account's storage; undefined if there is none. `key` begins
 * with the account's key.
 */
export type StorageIds = (key: Uint8Array) => Uint8Array | undefined;

/** Key of an account's tombstone; `key` begins with the account's key. */
export function tombstoneKey(key: Uint8Array): Uint8Array {
  const out = new Uint8Array(KEY_LENGTH);
  for (let i = 0; i < ACCOUNT_KEY_LENGTH; i++) out[i] = key[i]!;
  return out;
}

export function isTombstoneKey(key: Uint8Array): boolean {
  return key.length === KEY_LENGTH && isInStorage(key) && key[KEY_LENGTH - 1] === 0;
}

/** Whether a tombstone of its account hides a key. */
export function isCellKey(key: Uint8Array): boolean {
  return key.length > KEY_LENGTH && isInStorage(key);
}

/** Whether a key belongs to an account that can have a tombstone. */
export function isAccountKey(key: Uint8Array): boolean {
  return key.length === ACCOUNT_KEY_LENGTH && key[0] === ACCOUNTS;
}

/** The account's key; `key` begins with it. */
export function accountOf(key: Uint8Array): Uint8Array {
  return key.slice(0, ACCOUNT_KEY_LENGTH);
}

/** Keys of an account that are not hidden by its tombstone. */
export function keysOfAccount(account: Uint8Array): Uint8Array[] {
  return [account, markerKey(account), codeKey(account)];
}

function isInStorage(key: Uint8Array): boolean {
  return key[0] === ACCOUNTS && key[ACCOUNT_KEY_LENGTH] === STORAGE;
}

/** Returns the value of the tombstone that a block sets when it destroys a storage. */
export function encodeTombstone(block: { number: number; hash: Uint8Array }, root: Uint8Array): Uint8Array {
  const id = new Uint8Array(ID_BYTES);
  id.set(block.hash.subarray(0, ID_BYTES - NUMBER_BYTES), NUMBER_BYTES);
  writeUint32(id, 0, block.number);
  return concatBytes(id, root);
}

/** Inverse of {@link encodeTombstone}. Throws {@link ChainError} `DATABASE_DAMAGED`. */
export function decodeTombstone(value: Uint8Array, key: Uint8Array): Tombstone {
  if (value.length !== TOMBSTONE_BYTES) {
    throw new ChainError({ code: "DATABASE_DAMAGED", what: "tombstone of a storage", key });
  }
  const id = value.slice(0, ID_BYTES);
  return { number: numberInId(id), id, root: value.slice(ID_BYTES) };
}

/** Returns the number of the block whose tombstone has this id, or this value, which begins with the id. */
export function numberInId(id: Uint8Array): number {
  return ((id[0]! << 24) | (id[1]! << 16) | (id[2]! << 8) | id[3]!) >>> 0;
}

/** Whether a place (`placeAt`) belongs to a node of a storage. */
export function isStoragePlace(place: Uint8Array): boolean {
  return place.length >= KEY_LENGTH && isInStorage(place);
}

/**
 * Returns the place of a node of a storage that replaced a destroyed one; `place` is the place it would have otherwise.
 */
export function laterPlace(place: Uint8Array, id: Uint8Array): Uint8Array {
  const out = new Uint8Array(place.length + 1 + ID_BYTES);
  out.set(place.subarray(0, ACCOUNT_KEY_LENGTH));
  out[ACCOUNT_KEY_LENGTH] = LATER_STORAGE;
  out.set(id, ACCOUNT_KEY_LENGTH + 1);
  out.set(place.subarray(ACCOUNT_KEY_LENGTH), ACCOUNT_KEY_LENGTH + 1 + ID_BYTES);
  return out;
}

/** Returns the id in a place that {@link laterPlace} returned; undefined for any other place. */
export function idInPlace(place: Uint8Array): Uint8Array | undefined {
  const isLater = place.length >= KEY_LENGTH + 1 + ID_BYTES && place[0] === ACCOUNTS;
  if (!isLater || place[ACCOUNT_KEY_LENGTH] !== LATER_STORAGE) return undefined;
  return place.subarray(ACCOUNT_KEY_LENGTH + 1, ACCOUNT_KEY_LENGTH + 1 + ID_BYTES);
}

/**
 * Maps the places of a trie's nodes to those under which they are stored. Ascending places of one account take one look
 * at its tombstone.
 */
export function storedPlaces(ids: StorageIds): (place: Uint8Array) => Uint8Array {
  let account: Uint8Array | undefined;
  let id: Uint8Array | undefined;
  return (place) => {
    if (!isStoragePlace(place)) return place;
    if (account === undefined || !account.every((byte, i) => byte === place[i])) {
      account = accountOf(place);
      id = ids(account);
    }
    return id === undefined ? place : laterPlace(place, id);
  };
}
