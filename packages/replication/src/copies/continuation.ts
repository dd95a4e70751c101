import { equalBytes } from "@cambium/primitives";
import type { JetStreamManager } from "@nats-io/jetstream";
import type { SealedStream } from "../seal.js";
import { beginsTerm } from "../stream-message.js";
import { batchSearch } from "../stream-search.js";
import type { CopyPosition } from "./manifest.js";

/** The batches after a copy that a stream has. */
export interface Continuation {
  /** Approximate size of the batches after the copy, in bytes. */
  bytes: number;
  /** Maximum size of the batches that the stream keeps, in bytes. */
  maxBytes: number;
}

/**
 * Determines how a stream continues a copy. Undefined if it does not: a batch is missing, or belongs to another
 * database.
 */
export async function continuation(
  manager: JetStreamManager,
  address: SealedStream,
  { base, last }: CopyPosition,
): Promise<Continuation | undefined> {
  const { config, state } = await manager.streams.info(address.stream);
  const none = { bytes: 0, maxBytes: config.max_bytes };
  const search = () => batchSearch(manager, address);
  const end = state.messages === 0 ? undefined : (await search().last(state))?.value;
  // An empty stream proves nothing.
  if (end === undefined) return none;
  if (end.base.sequence !== base.sequence || !equalBytes(end.base.hash, base.hash)) return undefined;
  if (end.batch.sequence < last.sequence) return none;
  if (end.batch.sequence === last.sequence) return equalBytes(end.batch.hash, last.hash) ? none : undefined;
  const start = await search().startOf(({ batch }) => batch.sequence <= last.sequence, state);
  const next = (await search().first(start, state.last_seq + 1))?.value;
  const isNext = next?.batch.sequence === last.sequence + 1 && next.index === 0 && !beginsTerm(next);
  if (!isNext || !equalBytes(next.batch.previous, last.hash)) return undefined;
  const part = (state.last_seq - start + 1) / state.messages;
  return { bytes: part * state.bytes, maxBytes: config.max_bytes };
}
