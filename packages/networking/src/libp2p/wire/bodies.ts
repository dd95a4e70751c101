import { encodeRlp, equalBytes, RawRlp, type RlpInput, type RlpItem } from "@cambium/primitives";
import type { BlockBody } from "../../interface.js";
import { malformed, readHash, readList, readWhole, readWholeList } from "../../rlp.js";
import { decodeHashList, encodeHashList, requestedHash } from "./hash-list.js";
import { blockBounds, KIB, MAX_BODIES, perTenSeconds, SLOW_FIRST_BYTE } from "./limits.js";
import type { Protocol } from "./protocol.js";

const WHAT = "body";
/** More than any block has: at 21 000 gas each, they need two hundred times the present gas limit. */
const MAX_TRANSACTIONS_OF_BLOCK = 65_536;

/** Bodies by block hash, one a frame; only their lists are decoded. */
export const bodiesProtocol: Protocol<readonly Uint8Array[], BlockBody> = {
  name: "bodies",
  bounds: blockBounds({ requestBytes: 2 * KIB, ...SLOW_FIRST_BYTE }),
  rate: perTenSeconds(256, { isLarge: true }),
  items: (hashes) => hashes.length,
  encodeRequest: encodeHashList,
  decodeRequest: (bytes) => decodeHashList(bytes, "bodies", MAX_BODIES),
  encodeItem: encodeBody,
  decodeItem: decodeBody,
};

/** `[hash, [transaction, …], [uncle header, …], extension]`; the extension is optional. */
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

/** RLP of each transaction in the list of a block. Throws `MALFORMED`. */
export function splitTransactions(list: Uint8Array): Uint8Array[] {
  return readTransactions(readWhole(list, "transactions"));
}

function readTransactions(list: RlpItem): Uint8Array[] {
  return readList(list, "transactions", MAX_TRANSACTIONS_OF_BLOCK).map((item) => rawList(item, "transaction"));
}

function rawList(item: RlpItem, what: string): Uint8Array {
  if (!item.isList) throw malformed(what, "not a list");
  return item.raw;
}
