import type { NetworkConfig } from "@cambium/config";
import { encodeRlp, equalBytes, numberToBytes } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { malformed, readHash, readTuple, readUint, readWhole } from "../../rlp.js";
import { readCompressedHeader } from "../../serving/answer-checks.js";
import { KIB, MAX_HEADERS, MIB } from "../../shared/limits.js";
import { perTenSeconds, SLOW_FIRST_BYTE, smallBounds } from "./bounds.js";
import type { Protocol } from "./protocol.js";

const WHAT = "header";

export interface HeadersRequest {
  hash: Uint8Array;
  /** Number of headers, 1 to 192. */
  count: number;
}

/** The header with a hash and its ancestors, descending, one per frame, in compressed form. */
export function headersProtocol(network: NetworkConfig): Protocol<HeadersRequest, BlockHeader> {
  return {
    name: "headers",
    bounds: smallBounds(16 * KIB, {
      requestBytes: 64,
      frames: (items) => items,
      totalBytes: () => 1.5 * MIB,
      inboundStreams: 2,
      ...SLOW_FIRST_BYTE,
    }),
    rate: perTenSeconds(1920),
    items: ({ count }) => count,
    encodeRequest: ({ hash, count }) => encodeRlp([hash, numberToBytes(count)]),
    decodeRequest,
    encodeItem: (header) => header.encode("compressed"),
    decodeItem: (bytes, request, index) => decodeHeader(bytes, request, index, network),
  };
}

function decodeRequest(bytes: Uint8Array): HeadersRequest {
  const items = readTuple(readWhole(bytes, "headers"), "headers", 2);
  const count = readUint(items[1]!, "headers count", MAX_HEADERS);
  if (count === 0) throw malformed("headers count", "zero");
  return { hash: readHash(items[0]!, "headers hash"), count };
}

/** The caller checks that later headers link to the first. */
function decodeHeader(bytes: Uint8Array, request: HeadersRequest, index: number, network: NetworkConfig): BlockHeader {
  if (index >= request.count) throw malformed(WHAT, "more items than requested");
  const header = readCompressedHeader(bytes, network);
  if (index === 0 && !equalBytes(header.hash, request.hash)) throw malformed(WHAT, "not the requested one");
  return header;
}
