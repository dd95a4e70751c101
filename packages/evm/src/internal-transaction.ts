import {
  bigintToBytes,
  bigintToFixedBytes,
  bigintToTwosComplement,
  EMPTY_BYTES,
  encodeRlp,
  keccak256,
  numberToBytes,
  utf8,
} from "@cambium/primitives";

/** Fields of the record of a contract's call or creation: `spec/04 §8.3`. */
export interface InternalTransactionFields {
  /** The sender's nonce in the state when the record is made. */
  nonce: bigint;
  /** The record of the frame that makes the call, or the outer transaction. */
  parent: { hash(): Uint8Array };
  sender: Uint8Array;
  /** Empty for a creation. */
  receiver: Uint8Array;
  value: bigint;
  gasPrice: bigint;
  blockGasLimit: bigint;
  /** Code of the callee, init code, or empty for a native contract; never the call data. */
  data: Uint8Array;
  note: "call" | "create";
  /** Depth of the frame that makes the call. */
  depth: number;
  /** Number of earlier records of that frame. */
  index: number;
}

/**
 * The record of an internal call. Only its hash matters to consensus and only the bridge reads it, so the hash is
 * computed on request.
 */
export class InternalTransaction {
  private known: Uint8Array | undefined;

  constructor(readonly fields: InternalTransactionFields) {}

  hash(): Uint8Array {
    this.known ??= keccak256(encode(this.fields));
    return this.known;
  }
}

function encode(fields: InternalTransactionFields): Uint8Array {
  return encodeRlp([
    fields.nonce === 0n ? EMPTY_BYTES : bigintToTwosComplement(fields.nonce),
    fields.parent.hash(),
    fields.sender,
    fields.receiver,
    bigintToBytes(fields.value),
    bigintToBytes(fields.gasPrice),
    bigintToFixedBytes(fields.blockGasLimit, 32),
    fields.data,
    utf8(fields.note),
    numberToBytes(fields.depth),
    numberToBytes(fields.index),
    // Empty because the hash is computed before the record can be marked as rejected.
    EMPTY_BYTES,
  ]);
}
