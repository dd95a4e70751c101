import { leftPad, recentKeccak256, stripLeadingZeros } from "@cambium/primitives";

// Where things are in the state trie: spec/01 §4.4.
const DOMAIN = 0x00;
const STORAGE = 0x00;
const CODE = 0x80;
const HASH_PREFIX = 10;
/** Bytes before the address in an account key. */
const ADDRESS_OFFSET = 1 + HASH_PREFIX;
const ADDRESS_LENGTH = 20;
const CELL_ADDRESS_LENGTH = 32;
const ZERO_CELL = Uint8Array.of(0);

/** Length of the longest account key. */
export const ACCOUNT_KEY_LENGTH = ADDRESS_OFFSET + ADDRESS_LENGTH;

/** `00 || keccak(address)[0..10) || address`; the reward transaction's sender has one address byte. */
export function accountKey(address: Uint8Array): Uint8Array {
  const key = new Uint8Array(ADDRESS_OFFSET + address.length);
  key[0] = DOMAIN;
  key.set(recentKeccak256(address).subarray(0, HASH_PREFIX), 1);
  key.set(address, ADDRESS_OFFSET);
  return key;
}

/** Address of an account key. */
export function addressOfAccountKey(key: Uint8Array): Uint8Array {
  return key.slice(ADDRESS_OFFSET);
}

/** Key of the storage marker, and the prefix of all cells. */
export function markerKey(account: Uint8Array): Uint8Array {
  return withSuffix(account, STORAGE);
}

export function codeKey(account: Uint8Array): Uint8Array {
  return withSuffix(account, CODE);
}

/** Key of a cell; `cell` has 32 bytes. The hash is over all of them, the rest has no leading zeros (one byte for 0). */
export function cellKey(account: Uint8Array, cell: Uint8Array): Uint8Array {
  const stripped = stripLeadingZeros(cell);
  const rest = stripped.length === 0 ? ZERO_CELL : stripped;
  const offset = account.length + 1;
  const key = new Uint8Array(offset + HASH_PREFIX + rest.length);
  key.set(account);
  key[account.length] = STORAGE;
  key.set(recentKeccak256(cell).subarray(0, HASH_PREFIX), offset);
  key.set(rest, offset + HASH_PREFIX);
  return key;
}

/** The 32-byte cell address in a cell's key. */
export function cellOfKey(account: Uint8Array, key: Uint8Array): Uint8Array {
  return leftPad(key.slice(account.length + 1 + HASH_PREFIX), CELL_ADDRESS_LENGTH);
}

function withSuffix(account: Uint8Array, suffix: number): Uint8Array {
  const key = new Uint8Array(account.length + 1);
  key.set(account);
  key[account.length] = suffix;
  return key;
}
