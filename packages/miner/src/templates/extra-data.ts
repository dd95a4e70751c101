import { MAX_EXTRA_DATA } from "@cambium/config";
import { encodeRlp, utf8 } from "@cambium/primitives";
import { MinerError } from "../errors.js";

const FORMAT = Uint8Array.of(1);
/** RLP headers of the list and of the two strings, and the format: one byte each. */
const OVERHEAD = 3;
const LONGEST_IDENTITY = MAX_EXTRA_DATA - OVERHEAD - 1;

/**
 * Extra data of a block: the builder's identity and the operator's data, truncated to the space left (`spec/03 §6.4`).
 * Throws {@link MinerError} `OPTION` for an identity of over 28 bytes.
 */
export function extraData(identity: string, operatorData?: Uint8Array): Uint8Array {
  const name = utf8(identity);
  if (name.length > LONGEST_IDENTITY) {
    throw new MinerError({
      code: "OPTION",
      option: "identity",
      reason: `${name.length} bytes, at most ${LONGEST_IDENTITY} are allowed`,
    });
  }
  if (operatorData === undefined) return encodeRlp([FORMAT, name]);
  const room = MAX_EXTRA_DATA - 1 - name.length - OVERHEAD;
  return encodeRlp([FORMAT, name, operatorData.subarray(0, room)]);
}
