import { sha256d } from "@cambium/merged-mining";
import { concatBytes, EMPTY_BYTES, joinBytes } from "@cambium/primitives";
import { withoutCodeSeparators } from "./script.js";
import {
  encodeOutpoint,
  encodeOutput,
  encodeTransaction,
  type ParentOutput,
  type ParentTransaction,
} from "./transaction.js";
import { encodeVariable } from "./variable-integer.js";

const ALL = Uint8Array.of(1, 0, 0, 0);

/** Signature hash types: BIP-143, "sighash type". */
const SIGHASH = { all: 1, none: 2, single: 3, anyoneCanPay: 0x80 } as const;

const BLANK_OUTPUT: ParentOutput = { value: -1n, script: EMPTY_BYTES };
/** The number 1, which the parent chain uses as the hash if SINGLE refers to a missing output. */
const HASH_OF_MISSING_OUTPUT = concatBytes(Uint8Array.of(1), new Uint8Array(31));

function littleEndian32(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
}

/**
 * Returns the signature hash of a legacy input. `type` is the byte after a signature. Like the deployed client, this
 * serialises the transaction with its witnesses if it has any. No signer uses that hash, but the peg-out index does
 * (`spec/06b-3 §2.3`).
 */
export function legacySignatureHash(
  transaction: ParentTransaction,
  position: number,
  redeem: Uint8Array,
  type: number = SIGHASH.all,
): Uint8Array {
  const mode = type & 0x1f;
  if (mode === SIGHASH.single && position >= transaction.outputs.length) return HASH_OF_MISSING_OUTPUT;
  const signed = signedParts(transaction, position, withoutCodeSeparators(redeem), mode);
  const { inputs } = signed;
  // Witnesses keep their positions when the other inputs are removed.
  const alone = [{ ...inputs[position]!, witness: inputs[0]!.witness }];
  const hashed = (type & SIGHASH.anyoneCanPay) === 0 ? signed : { ...signed, inputs: alone };
  return sha256d(concatBytes(encodeTransaction(hashed), littleEndian32(type)));
}

/** Blanks all scripts except the signed one; the mode determines other inputs' sequences and the outputs. */
function signedParts(
  transaction: ParentTransaction,
  position: number,
  script: Uint8Array,
  mode: number,
): ParentTransaction {
  const isOpen = mode === SIGHASH.none || mode === SIGHASH.single;
  const inputs = transaction.inputs.map((input, i) =>
    i === position ? { ...input, script } : { ...input, script: EMPTY_BYTES, sequence: isOpen ? 0 : input.sequence },
  );
  return { ...transaction, inputs, outputs: isOpen ? outputsUpTo(transaction, position, mode) : transaction.outputs };
}

function outputsUpTo({ outputs }: ParentTransaction, position: number, mode: number): readonly ParentOutput[] {
  if (mode === SIGHASH.none) return [];
  return outputs.slice(0, position + 1).map((output, i) => (i === position ? output : BLANK_OUTPUT));
}

/** Hash that signatures of type ALL sign in an input with a witness (BIP-143). */
export function witnessSignatureHash(
  transaction: ParentTransaction,
  position: number,
  redeem: Uint8Array,
  value: bigint,
): Uint8Array {
  const { version, inputs, outputs, lockTime } = transaction;
  const input = inputs[position]!;
  const amount = new Uint8Array(8);
  new DataView(amount.buffer).setBigInt64(0, value, true);
  return sha256d(
    concatBytes(
      littleEndian32(version),
      sha256d(joinBytes(inputs.map(encodeOutpoint))),
      sha256d(joinBytes(inputs.map(({ sequence }) => littleEndian32(sequence)))),
      encodeOutpoint(input),
      encodeVariable(redeem.length),
      redeem,
      amount,
      littleEndian32(input.sequence),
      sha256d(joinBytes(outputs.map(encodeOutput))),
      littleEndian32(lockTime),
      ALL,
    ),
  );
}
