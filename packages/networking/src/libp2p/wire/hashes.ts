import { encodeRlp, numberToBytes } from "@cambium/primitives";
import { malformed, optionalHash, readList, readOptionalHash, readTuple, readUint, readWhole } from "../../rlp.js";
import { KIB, MAX_HASHES } from "../../shared/limits.js";
import { perTenSeconds, smallBounds } from "./bounds.js";
import type { Protocol } from "./protocol.js";

const WHAT = "hashes";

/** Hashes of the best chain at 1 to 64 heights, in their order; undefined for heights that the peer does not have. */
export const hashesProtocol: Protocol<readonly number[], readonly (Uint8Array | undefined)[]> = {
  name: "hashes",
  bounds: smallBounds(4 * KIB, { requestBytes: KIB }),
  rate: perTenSeconds(128),
  items: (heights) => heights.length,
  encodeRequest: (heights) => encodeRlp([heights.map(numberToBytes)]),
  decodeRequest,
  encodeItem: (hashes) => encodeRlp(hashes.map(optionalHash)),
  decodeItem: (bytes, heights) =>
    readTuple(readWhole(bytes, WHAT), WHAT, heights.length).map((item) => readOptionalHash(item, WHAT)),
};

function decodeRequest(bytes: Uint8Array): number[] {
  const [list] = readTuple(readWhole(bytes, WHAT), WHAT, 1);
  const heights = readList(list!, WHAT, MAX_HASHES).map((item) => readUint(item, "height"));
  if (heights.length === 0) throw malformed(WHAT, "no heights");
  return heights;
}
