import { sha256d } from "@cambium/merged-mining";
import { concatBytes, EMPTY_BYTES } from "@cambium/primitives";
import { withoutCodeSeparators } from "./script.js";
import { encodeOutpoint, encodeOutput, encodeTransaction, type ParentTransaction, withInputs } from "./transaction.js";
import { encodeVariable } from "./variable-integer.js";

const ALL = Uint8Array.of(1, 0, 0, 0);

function littleEndian32(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
}

/**
 * Hash that an input's signatures of type ALL sign in the first form of transactions. The transaction is serialised with
 * its witnesses when it has any, as the network's client does: no signer uses that, but the index of peg-outs does
 * (`spec/06b-3 §2.3`).
 */
export function legacySignatureHash(transaction: ParentTransaction, position: number, redeem: Uint8Array): Uint8Array {
  const script = withoutCodeSeparators(redeem);
  const blanked = withInputs(transaction, ({ witness }, i) => ({
    script: i === position ? script : EMPTY_BYTES,
    witness,
  }));
  return sha256d(concatBytes(encodeTransaction(blanked), ALL));
}

/** Hash that an input's signatures of type ALL sign when the input has a witness (BIP-143). */
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
      sha256d(concatBytes(...inputs.map(encodeOutpoint))),
      sha256d(concatBytes(...inputs.map(({ sequence }) => littleEndian32(sequence)))),
      encodeOutpoint(input),
      encodeVariable(redeem.length),
      redeem,
      amount,
      littleEndian32(input.sequence),
      sha256d(concatBytes(...outputs.map(encodeOutput))),
      littleEndian32(lockTime),
      ALL,
    ),
  );
}
