import { allocateBytes, leftPad, recentKeccak256 } from "@cambium/primitives";

// Layout of keys in the state trie: spec/01 §4.4.
const DOMAIN = 0x00;
const STORAGE = 0x00;
const CODE = 0x80;
const HASH_PREFIX = 10;
/** Number of bytes before the address in an account key. */
const ADDRESS_OFFSET = 1 + HASH_PREFIX;
const ADDRESS_LENGTH = 20;
const CELL_ADDRESS_LENGTH = 32;

/** Length of the longest account key. */
export const ACCOUNT_KEY_LENGTH = ADDRESS_OFFSET + ADDRESS_LENGTH;

/** Returns `00 || keccak(address)[0..10) || address`; the reward transaction's sender has one address byte. */
export function accountKey(address: Uint8Array): Uint8Array {
  const key = new Uint8Array(ADDRESS_OFFSET + address.length);
  key[0] = DOMAIN;
  copyInto(key, 1, recentKeccak256(address), 0, HASH_PREFIX);
  key.set(address, ADDRESS_OFFSET);
  return key;
}

/** The address in an account key. */
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

/** Whether a key is that of an account's code. */
export function isCodeKey(key: Uint8Array): boolean {
  return key.length === ACCOUNT_KEY_LENGTH + 1 && key[ACCOUNT_KEY_LENGTH] === CODE;
}

/**
 * Returns the key of a cell; `cell` has 32 bytes. The hash covers all 32 bytes; the suffix drops leading zeros but
 * keeps one byte for 0.
 */
export function cellKey(account: Uint8Array, cell: Uint8Array): Uint8Array {
  let zeros = 0;
  while (zeros < cell.length - 1 && cell[zeros] === 0) zeros++;
  const offset = account.length + 1;
  const key = allocateBytes(offset + HASH_PREFIX + cell.length - zeros);
  key.set(account);
  key[account.length] = STORAGE;
  copyInto(key, offset, recentKeccak256(cell), 0, HASH_PREFIX);
  copyInto(key, offset + HASH_PREFIX, cell, zeros, cell.length);
  return key;
}

const slotBytes = new Uint8Array(CELL_ADDRESS_LENGTH);
const slotView = new DataView(slotBytes.buffer);

/** Like {@link cellKey}, for a cell's address as a number. */
export function slotKey(account: Uint8Array, slot: bigint): Uint8Array {
  slotView.setBigUint64(24, BigInt.asUintN(64, slot));
  slotView.setBigUint64(16, BigInt.asUintN(64, slot >> 64n));
  slotView.setBigUint64(8, BigInt.asUintN(64, slot >> 128n));
  slotView.setBigUint64(0, slot >> 192n);
  return cellKey(account, slotBytes);
}

/** The 32-byte cell address in a cell's key. */
export function cellOfKey(account: Uint8Array, key: Uint8Array): Uint8Array {
  return leftPad(key.slice(account.length + 1 + HASH_PREFIX), CELL_ADDRESS_LENGTH);
}

/** Copies bytes [from, to). For a few bytes this is faster than copying a subarray. */
function copyInto(target: Uint8Array, at: number, source: Uint8Array, from: number, to: number): void {
  for (let i = from; i < to; i++) target[at + i - from] = source[i]!;
}

function withSuffix(account: Uint8Array, suffix: number): Uint8Array {
  const key = new Uint8Array(account.length + 1);
  key.set(account);
  key[account.length] = suffix;
  return key;
}
