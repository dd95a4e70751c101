import { equalBytes, keccak256 } from "@cambium/primitives";
import { malformed, readWhole } from "../../rlp.js";
import { KIB, MAX_TRANSACTION_BYTES, MAX_TRANSACTIONS, MIB } from "../../shared/limits.js";
import { perTenSeconds, smallBounds } from "./bounds.js";
import { decodeHashList, encodeHashList, requestedHash } from "./hash-list.js";
import type { Protocol } from "./protocol.js";

const WHAT = "transaction";

/** Pooled transactions by hash, one per frame, as RLP; their hashes are checked. */
export const transactionsProtocol: Protocol<readonly Uint8Array[], Uint8Array> = {
  name: "txs",
  bounds: smallBounds(MAX_TRANSACTION_BYTES, {
    requestBytes: 16 * KIB,
    frames: (items) => items,
    totalBytes: () => 4 * MIB,
    inboundStreams: 4,
  }),
  rate: perTenSeconds(1024),
  items: (hashes) => hashes.length,
  encodeRequest: encodeHashList,
  decodeRequest: (bytes) => decodeHashList(bytes, "txs", MAX_TRANSACTIONS),
  encodeItem: (transaction) => transaction,
  decodeItem: (bytes, hashes, index) => {
    const hash = requestedHash(hashes, index, WHAT);
    if (!readWhole(bytes, WHAT).isList) throw malformed(WHAT, "not a list");
    if (!equalBytes(keccak256(bytes), hash)) throw malformed(WHAT, "not the requested one");
    return bytes;
  },
};
