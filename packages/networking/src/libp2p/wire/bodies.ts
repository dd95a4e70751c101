import { encodeRlp, equalBytes, RawRlp, type RlpInput } from "@cambium/primitives";
import type { BlockBody } from "../../interface.js";
import { malformed, rawList, readHash, readWholeList } from "../../rlp.js";
import { KIB, MAX_BODIES } from "../../shared/limits.js";
import { readTransactions } from "../../shared/transactions.js";
import { blockBounds, perTenSeconds, SLOW_FIRST_BYTE } from "./bounds.js";
import { decodeHashList, encodeHashList, requestedHash } from "./hash-list.js";
import type { Protocol } from "./protocol.js";

const WHAT = "body";

/** Bodies by block hash, one per frame; only their lists are decoded. */
export const bodiesProtocol: Protocol<readonly Uint8Array[], BlockBody> = {
  name: "bodies",
  bounds: blockBounds({ requestBytes: 2 * KIB, ...SLOW_FIRST_BYTE }),
  rate: { ...perTenSeconds(2000), total: 4000 },
  items: (hashes) => hashes.length,
  encodeRequest: encodeHashList,
  decodeRequest: (bytes) => decodeHashList(bytes, "bodies", MAX_BODIES),
  encodeItem: encodeBody,
  decodeItem: decodeBody,
};

/** Encodes `[hash, [transaction, …], [uncle header, …], extension]`; the extension is optional. */
function encodeBody(body: BlockBody): Uint8Array {
  const items: RlpInput[] = [
    body.hash,
    body.transactions.map((transaction) => new RawRlp(transaction)),
    new RawRlp(body.uncles),
  ];
  if (body.extension !== undefined) items.push(new RawRlp(body.extension));
  return encodeRlp(items);
}

function decodeBody(bytes: Uint8Array, hashes: readonly Uint8Array[], index: number): BlockBody {
  const items = readWholeList(bytes, WHAT, 4);
  if (items.length < 3) throw malformed(WHAT, `${items.length} items instead of 3 or 4`);
  const hash = readHash(items[0]!, "body hash");
  if (!equalBytes(hash, requestedHash(hashes, index, WHAT))) throw malformed(WHAT, "not the requested one");
  return {
    hash,
    transactions: readTransactions(items[1]!),
    uncles: rawList(items[2]!, "uncles"),
    extension: items[3] === undefined ? undefined : rawList(items[3], "extension"),
  };
}
