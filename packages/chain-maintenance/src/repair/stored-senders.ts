import { type BlockId, ChainStore, TABLES } from "@cambium/chain-store";
import { readNumber } from "@cambium/database";
import { equalBytes } from "@cambium/primitives";
import { recoveredSenders } from "../check/recovered-senders.js";
import { BoundedWriter } from "./bounded-writer.js";
import { attempt, type RebuildParts } from "./sound-blocks.js";

const HASH_BYTES = 32;

/**
 * Corrects the stored senders by a recovery of each, and deletes those of blocks that are not stored. Blocks without
 * any need none.
 */
export async function correctSenders({ database, network, onProgress, signal }: RebuildParts): Promise<void> {
  const store = new ChainStore(database, network);
  const writer = new BoundedWriter(database);
  let done = 0;
  for await (const { key, value: stored } of database.entries(TABLES.senders)) {
    signal?.throwIfAborted();
    const block = blockOf(key);
    const value = block && attempt(() => recovered(block));
    if (value === undefined || !equalBytes(value, stored)) {
      await writer.append([{ table: TABLES.senders, key: key.slice(), value }]);
    }
    onProgress(++done, 0);
  }
  await writer.flush();

  function recovered({ number, hash }: BlockId): Uint8Array | undefined {
    if (store.outcome(hash) === undefined || store.header(hash)?.number !== number) return undefined;
    const body = store.encodedBody(hash);
    return body && recoveredSenders(body.transactions, network);
  }
}

/** Undefined if the key is damaged. */
function blockOf(key: Uint8Array): BlockId | undefined {
  const hash = key.slice(8);
  return hash.length === HASH_BYTES ? { number: readNumber(key, 0), hash } : undefined;
}
