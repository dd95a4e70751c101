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

/** Fields of the record of a call or creation made by a contract: `spec/04 §8.3`. */
export interface InternalTransactionFields {
  /** State nonce of the sender when recorded. */
  nonce: bigint;
  /** Record of the recording frame, or the outer transaction. */
  parent: { hash(): Uint8Array };
  sender: Uint8Array;
  /** Empty for a creation. */
  receiver: Uint8Array;
  value: bigint;
  gasPrice: bigint;
  blockGasLimit: bigint;
  /** Code of the callee, init code, or empty for a native contract: not the input. */
  data: Uint8Array;
  note: "call" | "create";
  /** Depth of the recording frame. */
  depth: number;
  /** Records made in that frame before. */
  index: number;
}

/**
 * The record a call runs under. Only its hash matters to consensus, and only the bridge asks for it, so it is computed
 * when asked.
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
    // The hash is taken before the record can be rejected.
    EMPTY_BYTES,
  ]);
}
