import type { ChainReader } from "@cambium/chain";
import type { BlockBody } from "../../interface.js";
import type { ServedSources } from "../../served-sources.js";
import { splitTransactions } from "../wire/bodies.js";
import type { AnswerItem, Responder } from "../wire/protocol.js";
import { answer } from "./answer.js";

export function serveBodies({ chain }: ServedSources): Responder<readonly Uint8Array[], BlockBody> {
  return function* (hashes): Iterable<AnswerItem<BlockBody>> {
    for (const hash of hashes) yield answer(bodyOf(chain, hash));
  };
}

/** The stored body, with what the compressed form of the header omits. */
function bodyOf(chain: ChainReader, hash: Uint8Array): BlockBody | undefined {
  const stored = chain.encodedBody(hash);
  const header = stored === undefined ? undefined : chain.headerByHash(hash);
  if (stored === undefined || header === undefined) return undefined;
  return {
    hash,
    transactions: splitTransactions(stored.transactions),
    uncles: stored.uncles,
    extension: header.version === 0 ? undefined : header.encodeExtension(),
  };
}

export function serveBlocks({ chain }: ServedSources): Responder<readonly Uint8Array[], Uint8Array> {
  return function* (hashes): Iterable<AnswerItem<Uint8Array>> {
    for (const hash of hashes) yield answer(chain.encodedBlock(hash));
  };
}
