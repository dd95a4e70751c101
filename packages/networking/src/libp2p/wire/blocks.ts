import type { NetworkConfig } from "@cambium/config";
import { equalBytes } from "@cambium/primitives";
import { BlockHeader } from "@cambium/types";
import { decodeHashList, encodeHashList, requestedHash } from "./hash-list.js";
import { readingTypes } from "./headers.js";
import { blockBounds, KIB, MAX_BLOCKS, perTenSeconds } from "./limits.js";
import type { Protocol } from "./protocol.js";
import { malformed, readTuple, readWhole } from "./rlp.js";

const WHAT = "block";

/** Whole blocks by hash, one a frame, as RLP: only the header is decoded, for its hash. */
export function blocksProtocol(network: NetworkConfig): Protocol<readonly Uint8Array[], Uint8Array> {
  return {
    name: "blocks",
    bounds: blockBounds({ requestBytes: KIB }),
    rate: perTenSeconds(64, { isLarge: true }),
    items: (hashes) => hashes.length,
    encodeRequest: encodeHashList,
    decodeRequest: (bytes) => decodeHashList(bytes, "blocks", MAX_BLOCKS),
    encodeItem: (block) => block,
    decodeItem: (bytes, hashes, index) => decodeBlock(bytes, requestedHash(hashes, index, WHAT), network),
  };
}

function decodeBlock(bytes: Uint8Array, hash: Uint8Array, network: NetworkConfig): Uint8Array {
  const header = checkBlockShape(bytes);
  const actual = readingTypes("block header", () => BlockHeader.decode(header, network).hash);
  if (!equalBytes(actual, hash)) throw malformed(WHAT, "not the requested one");
  return bytes;
}

/** Checks that the bytes are a list of three lists; returns the bytes of the header. Throws `MALFORMED`. */
export function checkBlockShape(bytes: Uint8Array): Uint8Array {
  const items = readTuple(readWhole(bytes, WHAT), WHAT, 3);
  if (!items.every((item) => item.isList)) throw malformed(WHAT, "a string in place of a list");
  return items[0]!.raw;
}
