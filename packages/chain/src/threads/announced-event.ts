import type { BlockHeader } from "@cambium/types";
import type { ChainEvent, StoredBlock } from "../interface.js";
import type { PlainChainEvent } from "./import-messages.js";

/** Reads the block of an announcement; each part is read once. */
export interface AnnouncedParts {
  header(): BlockHeader;
  block(): StoredBlock["block"];
  receipts(): StoredBlock["receipts"];
}

/** Creates the event that listeners receive. Its block is decoded when the first listener reads it. */
export function announcedEvent(announcement: PlainChainEvent, parts: AnnouncedParts): ChainEvent {
  const { kind, hash, number, source, reorganisation } = announcement;
  const header = once(parts.header);
  const block = once(parts.block);
  const receipts = once(parts.receipts);
  const stored: StoredBlock = {
    hash,
    number,
    source,
    get header() {
      return header();
    },
    get block() {
      return block();
    },
    get receipts() {
      return receipts();
    },
  };
  return kind === "reorg"
    ? Object.assign(stored, { kind, reorganisation: reorganisation! })
    : Object.assign(stored, { kind });
}

/** An event as plain data, for another thread, which restores it with {@link announcedEvent}. */
export function plainChainEvent(event: ChainEvent): PlainChainEvent {
  const { kind, hash, number, source } = event;
  return kind === "reorg"
    ? { kind, hash, number, source, reorganisation: event.reorganisation }
    : { kind, hash, number, source };
}

function once<T>(read: () => T): () => T {
  let value: { known: T } | undefined;
  return () => {
    value ??= { known: read() };
    return value.known;
  };
}
