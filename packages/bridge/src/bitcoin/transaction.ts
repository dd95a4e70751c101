import { sha256d } from "@cambium/merged-mining";
import { concatBytes, joinBytes, reverseBytes, toHex } from "@cambium/primitives";
import { BridgeError } from "../errors.js";
import { ByteReader } from "./byte-reader.js";
import { encodeVariable, variableLength } from "./variable-integer.js";

// Transactions of the parent chain: spec/06b-3 §1.

/** An input: the output it spends, with its script and witness. */
export interface ParentInput {
  /** Id of the spent transaction in display order, 32 bytes. */
  readonly txid: Uint8Array;
  readonly index: number;
  readonly script: Uint8Array;
  readonly sequence: number;
  /** Witness stack, empty if there is none. */
  readonly witness: readonly Uint8Array[];
}

export interface ParentOutput {
  /** Satoshi, as a signed 64-bit integer. */
  readonly value: bigint;
  readonly script: Uint8Array;
}

export interface ParentTransaction {
  readonly version: number;
  readonly inputs: readonly ParentInput[];
  readonly outputs: readonly ParentOutput[];
  readonly lockTime: number;
}

const NULL_INDEX = 0xffffffff;
const MAX_SIZE = 1_000_000;
const MAX_MONEY = 2_100_000_000_000_000n;
const NO_WITNESS: readonly Uint8Array[] = [];

/**
 * Decodes a transaction and ignores the bytes after it. Throws {@link BridgeError} `PARENT_TRANSACTION` if it is
 * malformed.
 */
export function parseTransaction(data: Uint8Array): ParentTransaction {
  const reader = new ByteReader(data);
  const version = reader.uint32();
  let inputs = readInputs(reader);
  let outputs: ParentOutput[] = [];
  if (inputs.length > 0) {
    outputs = readOutputs(reader);
  } else {
    // An input count of 0 marks the witness form; a flag of zero leaves an empty transaction.
    const flags = reader.byte();
    if (flags !== 0) {
      inputs = readInputs(reader);
      outputs = readOutputs(reader);
    }
    if ((flags & 1) !== 0) inputs = inputs.map((input) => ({ ...input, witness: readWitness(reader) }));
    if ((flags & ~1) !== 0) throw new BridgeError({ code: "PARENT_TRANSACTION", reason: `unknown flags ${flags}` });
  }
  return { version, inputs, outputs, lockTime: reader.uint32() };
}

function readInputs(reader: ByteReader): ParentInput[] {
  const inputs: ParentInput[] = [];
  for (let left = reader.items(); left > 0; left--) {
    const txid = reverseBytes(reader.bytes(32));
    const index = reader.uint32();
    const script = reader.bytes(reader.count());
    inputs.push({ txid, index, script, sequence: reader.uint32(), witness: NO_WITNESS });
  }
  return inputs;
}

function readOutputs(reader: ByteReader): ParentOutput[] {
  const outputs: ParentOutput[] = [];
  for (let left = reader.items(); left > 0; left--) {
    const value = reader.int64();
    outputs.push({ value, script: reader.bytes(reader.count()) });
  }
  return outputs;
}

function readWitness(reader: ByteReader): Uint8Array[] {
  const items: Uint8Array[] = [];
  for (let left = reader.items(); left > 0; left--) items.push(reader.bytes(reader.count()));
  return items;
}

export function hasWitness(transaction: ParentTransaction): boolean {
  return transaction.inputs.some((input) => input.witness.length > 0);
}

function littleEndian32(value: number): Uint8Array {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, value, true);
  return out;
}

export function encodeOutpoint({ txid, index }: Pick<ParentInput, "txid" | "index">): Uint8Array {
  return concatBytes(reverseBytes(txid), littleEndian32(index));
}

export function encodeOutput({ value, script }: ParentOutput): Uint8Array {
  const amount = new Uint8Array(8);
  new DataView(amount.buffer).setBigInt64(0, value, true);
  return concatBytes(amount, encodeVariable(script.length), script);
}

/** Length of the encoded output. */
export function outputLength({ script }: Pick<ParentOutput, "script">): number {
  return 8 + variableLength(script.length) + script.length;
}

/**
 * Creates an output of a bridge transaction. Throws {@link BridgeError} `PARENT_TRANSACTION` if the value exceeds the
 * money supply or is below -1. The deployed client marks blank outputs with -1.
 */
export function makeOutput(value: bigint, script: Uint8Array): ParentOutput {
  if (value < -1n || value > MAX_MONEY) throw new BridgeError({ code: "PARENT_TRANSACTION", reason: "output value" });
  return { value, script };
}

function encodeInput(input: ParentInput): Uint8Array {
  return concatBytes(
    encodeOutpoint(input),
    encodeVariable(input.script.length),
    input.script,
    littleEndian32(input.sequence),
  );
}

function encodeWitness(witness: readonly Uint8Array[]): Uint8Array {
  const items = witness.flatMap((item) => [encodeVariable(item.length), item]);
  return joinBytes([encodeVariable(witness.length), ...items]);
}

function encode(transaction: ParentTransaction, withWitness: boolean): Uint8Array {
  const { version, inputs, outputs, lockTime } = transaction;
  return joinBytes([
    littleEndian32(version),
    withWitness ? Uint8Array.of(0, 1) : new Uint8Array(0),
    encodeVariable(inputs.length),
    ...inputs.map(encodeInput),
    encodeVariable(outputs.length),
    ...outputs.map(encodeOutput),
    ...(withWitness ? inputs.map((input) => encodeWitness(input.witness)) : []),
    littleEndian32(lockTime),
  ]);
}

/** Encodes the full form, with witnesses if any input has one. */
export function encodeTransaction(transaction: ParentTransaction): Uint8Array {
  return encode(transaction, hasWitness(transaction));
}

/** Encodes the form without witnesses, which transaction ids are computed from. */
export function encodeStripped(transaction: ParentTransaction): Uint8Array {
  return encode(transaction, false);
}

/** Id in display order, computed without witnesses. */
export function transactionId(transaction: ParentTransaction): Uint8Array {
  return reverseBytes(sha256d(encodeStripped(transaction)));
}

/** The same transaction with other input scripts and witnesses. */
export function withInputs(
  transaction: ParentTransaction,
  change: (input: ParentInput, position: number) => Pick<ParentInput, "script" | "witness">,
): ParentTransaction {
  const inputs = transaction.inputs.map((input, i) => ({ ...input, ...change(input, i) }));
  return { ...transaction, inputs };
}

function isNull({ txid, index }: ParentInput): boolean {
  return index === NULL_INDEX && txid.every((byte) => byte === 0);
}

export function isCoinbase({ inputs }: ParentTransaction): boolean {
  return inputs.length === 1 && isNull(inputs[0]!);
}

/** Why a transaction fails the basic checks of `spec/06b-3 §1.2`, undefined if it passes. */
export function basicFault(transaction: ParentTransaction): string | undefined {
  const { inputs, outputs } = transaction;
  if (inputs.length === 0 || outputs.length === 0) return "no inputs or no outputs";
  if (encodeTransaction(transaction).length > MAX_SIZE) return "too large";
  const outpoints = new Set(inputs.map((input) => toHex(encodeOutpoint(input))));
  if (outpoints.size < inputs.length) return "spends an output twice";
  let total = 0n;
  for (const { value } of outputs) {
    total += value;
    if (value < 0n || total > MAX_MONEY) return "output values";
  }
  if (!isCoinbase(transaction)) return inputs.some(isNull) ? "null outpoint" : undefined;
  const { length } = inputs[0]!.script;
  return length < 2 || length > 100 ? "coinbase script length" : undefined;
}

/** {@link parseTransaction} with the basic checks. Throws {@link BridgeError} `PARENT_TRANSACTION` if one fails. */
export function parseCheckedTransaction(data: Uint8Array): ParentTransaction {
  const transaction = parseTransaction(data);
  const reason = basicFault(transaction);
  if (reason !== undefined) throw new BridgeError({ code: "PARENT_TRANSACTION", reason });
  return transaction;
}
