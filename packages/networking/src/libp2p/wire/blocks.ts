import type { NetworkConfig } from "@cambium/config";
import { checkBlockHash } from "../../serving/answer-checks.js";
import { KIB, MAX_BLOCKS } from "../../shared/limits.js";
import { blockBounds, perTenSeconds } from "./bounds.js";
import { decodeHashList, encodeHashList, requestedHash } from "./hash-list.js";
import type { Protocol } from "./protocol.js";

const WHAT = "block";

/** Whole blocks by hash, one per frame, as RLP. Only the header is decoded, for its hash. */
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
  checkBlockHash(bytes, hash, network);
  return bytes;
}
