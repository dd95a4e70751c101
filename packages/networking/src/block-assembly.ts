import { type NetworkConfig, rulesAt } from "@cambium/config";
import { encodeRlp, equalBytes, keccak256, RawRlp } from "@cambium/primitives";
import { type BlockHeader, decodeExtension, encodeExtension, rawTransactionsRoot, TypesError } from "@cambium/types";
import { NetworkingError } from "./errors.js";
import type { BlockBody } from "./interface.js";
import { malformed, readingTypes } from "./rlp.js";

/**
 * Checks that the header commits to a body: transactions root, uncles hash and extension, from the bytes as received
 * (`spec/07 §D.7`, 5). A body that passes completes the block of that hash; any other is its sender's fault. Returns
 * the complete header. Throws `INVALID_ANSWER`, or `MALFORMED` for an extension that does not decode.
 */
export function checkBody(header: BlockHeader, body: BlockBody, network: NetworkConfig): BlockHeader {
  if (!equalBytes(body.hash, header.hash)) throw wrong("it is of another block");
  const root = rawTransactionsRoot(body.transactions, rulesAt(network, header.number));
  if (!equalBytes(root, header.transactionsRoot)) throw wrong("transactions root");
  if (!equalBytes(keccak256(body.uncles), header.unclesHash)) throw wrong("uncles hash");
  return withExtension(header, body);
}

/**
 * RLP of the whole block. The extension of a compressed header is taken from the body. Throws like {@link checkBody}
 * for a wrong extension, and checks nothing else.
 */
export function assembleBlock(header: BlockHeader, body: BlockBody): Uint8Array {
  return encodeRlp([
    new RawRlp(withExtension(header, body).encode("full")),
    body.transactions.map((transaction) => new RawRlp(transaction)),
    new RawRlp(body.uncles),
  ]);
}

/** The complete header; a body has an extension if and only if its header is of version 1 or 2 (RSKIP-351). */
function withExtension(header: BlockHeader, { extension }: BlockBody): BlockHeader {
  if (header.version === 0) {
    if (extension !== undefined) throw wrong("it has an extension, but the header has none");
    return header;
  }
  if (extension === undefined) throw wrong("it has no extension");
  if (header.hasExtension) {
    if (!equalBytes(header.encodeExtension(), extension)) throw wrong("extension");
    return header;
  }
  const decoded = readingTypes("extension", () => decodeExtension(extension));
  if (!equalBytes(encodeExtension(decoded), extension)) throw malformed("extension", "not canonical");
  try {
    return header.withExtension(decoded);
  } catch (error) {
    if (error instanceof TypesError) throw wrong("extension");
    throw error;
  }
}

function wrong(reason: string): NetworkingError {
  return new NetworkingError({ code: "INVALID_ANSWER", protocol: "bodies", reason });
}
