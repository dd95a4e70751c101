import { concatBytes } from "@cambium/primitives";
import { MergedMiningError } from "./errors.js";
import { PARENT_HEADER_LENGTH } from "./parent-header.js";
import { sha256d } from "./sha256.js";

/** Positions of the parts of a parent-chain transaction. */
interface TransactionLayout {
  /** Start of the input count. */
  inputs: number;
  /** End of the outputs, where a witness may follow. */
  outputsEnd: number;
  end: number;
}

/**
 * Steps through parent-chain bytes like the deployed client's parser. Counts and lengths are little-endian integers
 * truncated to 32 bits. A transaction without inputs counts as the marker of the witness form.
 */
class Cursor {
  constructor(
    readonly data: Uint8Array,
    public at: number,
  ) {}

  skip(length: number): void {
    if (length < 0 || this.at + length > this.data.length) throw truncated(this.at);
    this.at += length;
  }

  byte(): number {
    this.skip(1);
    return this.data[this.at - 1]!;
  }

  /** Reads a variable-length integer, as a signed 64-bit number. */
  variable(): bigint {
    const first = this.byte();
    if (first < 253) return BigInt(first);
    const length = 1 << (first - 252);
    this.skip(length);
    let value = 0n;
    for (let i = 1; i <= length; i++) value = (value << 8n) | BigInt(this.data[this.at - i]!);
    return BigInt.asIntN(64, value);
  }

  /** Reads a list length. Negative low 32 bits are an error; any other negative number means an empty list. */
  count(): bigint {
    const value = this.variable();
    if (BigInt.asIntN(32, value) < 0n) throw truncated(this.at);
    return value;
  }

  skipVariable(): void {
    this.skip(Number(BigInt.asIntN(32, this.variable())));
  }
}

function truncated(offset: number): MergedMiningError {
  return new MergedMiningError({ code: "PARENT_TRANSACTIONS", reason: `malformed at byte ${offset}` });
}

function skipInputs(cursor: Cursor): bigint {
  const count = cursor.count();
  for (let i = 0n; i < count; i++) {
    cursor.skip(36);
    cursor.skipVariable();
    cursor.skip(4);
  }
  return count;
}

function skipOutputs(cursor: Cursor): void {
  const count = cursor.count();
  for (let i = 0n; i < count; i++) {
    cursor.skip(8);
    cursor.skipVariable();
  }
}

function skipWitnesses(cursor: Cursor, inputs: bigint): void {
  for (let i = 0n; i < inputs; i++) {
    const pushes = cursor.count();
    for (let j = 0n; j < pushes; j++) cursor.skipVariable();
  }
}

function readLayout(data: Uint8Array, start: number): TransactionLayout {
  const cursor = new Cursor(data, start);
  cursor.skip(4);
  let inputs = cursor.at;
  let count = skipInputs(cursor);
  let flags = 0;
  if (count > 0n) {
    skipOutputs(cursor);
  } else {
    flags = cursor.byte();
    if (flags !== 0) {
      inputs = cursor.at;
      count = skipInputs(cursor);
      skipOutputs(cursor);
    }
  }
  const outputsEnd = cursor.at;
  if ((flags & 1) !== 0) skipWitnesses(cursor, count);
  if ((flags & ~1) !== 0) throw truncated(cursor.at);
  cursor.skip(4);
  return { inputs, outputsEnd, end: cursor.at };
}

/**
 * Checks that the bytes after a parent-chain header are a transaction list, which headers before RSKIP-98 may have
 * (`spec/03 §3.1`, step 4). Bytes after the list are ignored. Throws {@link MergedMiningError} `PARENT_TRANSACTIONS` if
 * it is malformed.
 */
export function checkParentTransactions(data: Uint8Array, offset: number): void {
  if (offset === data.length) return;
  const cursor = new Cursor(data, offset);
  const count = BigInt.asIntN(32, cursor.count());
  for (let i = 0n; i < count; i++) cursor.at = readLayout(data, cursor.at).end;
}

/** The parts of a parent-chain block. */
export interface ParentBlockParts {
  /** The header, 80 bytes. */
  header: Uint8Array;
  /** Transactions in their original form, with or without witness. */
  transactions: Uint8Array[];
}

/**
 * Splits a whole parent-chain block. Throws {@link MergedMiningError} `PARENT_HEADER_SIZE` or `PARENT_TRANSACTIONS` if
 * it is malformed.
 */
export function splitParentBlock(block: Uint8Array): ParentBlockParts {
  if (block.length < PARENT_HEADER_LENGTH) {
    throw new MergedMiningError({ code: "PARENT_HEADER_SIZE", expected: PARENT_HEADER_LENGTH, actual: block.length });
  }
  const cursor = new Cursor(block, PARENT_HEADER_LENGTH);
  const count = BigInt.asIntN(32, cursor.count());
  const transactions: Uint8Array[] = [];
  for (let i = 0n; i < count; i++) {
    const { end } = readLayout(block, cursor.at);
    transactions.push(block.subarray(cursor.at, end));
    cursor.at = end;
  }
  if (cursor.at !== block.length) throw truncated(cursor.at);
  return { header: block.subarray(0, PARENT_HEADER_LENGTH), transactions };
}

/**
 * Returns the transaction in its legacy form, without witness data. Throws {@link MergedMiningError}
 * `PARENT_TRANSACTIONS` if it is malformed.
 */
export function stripWitness(transaction: Uint8Array): Uint8Array {
  const { inputs, outputsEnd, end } = readLayout(transaction, 0);
  if (end !== transaction.length) throw truncated(end);
  return concatBytes(
    transaction.subarray(0, 4),
    transaction.subarray(inputs, outputsEnd),
    transaction.subarray(end - 4, end),
  );
}

/** Returns the id of a transaction in its legacy form, in internal order. */
export function transactionId(transaction: Uint8Array): Uint8Array {
  return sha256d(transaction);
}
