import { rmSync } from "node:fs";
import {
  bytesToNumber,
  concatBytes,
  decodeRlpList,
  equalBytes,
  leftPad,
  numberToBytes,
  PrimitivesError,
  RlpError,
  utf8,
} from "@cambium/primitives";
import { ClassicLevel } from "classic-level";
import type { BlockPlace, BlockStore } from "./block-store.js";

/** Places of header fields (`spec/01 §2.1`). */
const PARENT_HASH = 0;
const NUMBER = 8;
const HASH_BYTES = 32;
/** Bytes of a block number in a key. The first one is 0. */
const NUMBER_BYTES = 5;
const MAX_NUMBER = 2 ** 32 - 1;
/** Bytes of the size of a block in a value. */
const SIZE_BYTES = 4;
/** Entries of a batch. */
const BATCH = 10_000;
/** Key after all block numbers; its value is the fingerprint of the store that was read to the end. */
const COMPLETE = Uint8Array.of(0xff);

/** Part of the best chain that remains to be imported. */
export interface BestChainPart {
  /** Number of its first block. If it exceeds `last`, nothing remains. */
  first: number;
  last: number;
  /** Size of its blocks' RLP. */
  bytes: number;
  /** Set if the store lacks the parent of the first block, and the importing chain does not have it either. */
  missing: Uint8Array | undefined;
}

/**
 * Order of the blocks in a {@link BlockStore}, which finds blocks by hash only. A table has an entry for each block:
 * its number and hash, then its parent's hash and its position in the store. The table takes about 100 bytes a block on
 * disk, and little memory.
 */
export class BestChain {
  private constructor(
    private readonly folder: string,
    private readonly table: ClassicLevel<Uint8Array, Uint8Array>,
  ) {}

  static async open(folder: string): Promise<BestChain> {
    const table = new ClassicLevel<Uint8Array, Uint8Array>(folder, { keyEncoding: "view", valueEncoding: "view" });
    await table.open();
    return new BestChain(folder, table);
  }

  /**
   * Fills the table from a store, unless one with this fingerprint fills it already. Rejects with the reason of
   * `signal`.
   */
  async fill(
    store: Pick<BlockStore, "all">,
    fingerprint: string,
    signal: AbortSignal,
    onProgress: (blocks: number) => void,
  ): Promise<void> {
    const complete = utf8(fingerprint);
    const filled = await this.table.get(COMPLETE);
    if (filled !== undefined && equalBytes(filled, complete)) return;
    await this.table.clear();
    let count = 0;
    let entries: Put[] = [];
    for await (const { place, rlp } of store.all()) {
      signal.throwIfAborted();
      const entry = entryOf(place, rlp);
      // A damaged block is reported if the best chain needs it.
      if (entry !== undefined) entries.push(entry);
      if (++count % BATCH > 0) continue;
      await this.table.batch(entries);
      entries = [];
      onProgress(count);
    }
    await this.table.batch([...entries, { type: "put", key: COMPLETE, value: complete }]);
  }

  /**
   * Follows parents from a highest block down to the first one for which `isKnown` returns true, and removes other
   * blocks from the table. Undefined if the table is empty.
   */
  async remaining(
    isKnown: (number: number, hash: Uint8Array) => boolean,
    signal: AbortSignal,
  ): Promise<BestChainPart | undefined> {
    let part: BestChainPart | undefined;
    const others: Delete[] = [];
    for await (const [key, value] of this.table.iterator({ lt: COMPLETE, reverse: true })) {
      signal.throwIfAborted();
      const number = numberOf(key);
      if (part !== undefined && number < part.first - 1) break;
      const hash = hashOf(key);
      if (part?.missing === undefined || equalBytes(hash, part.missing)) {
        part ??= { first: number + 1, last: number, bytes: 0, missing: undefined };
        part.missing = undefined;
        if (isKnown(number, hash)) break;
        part.first = number;
        part.bytes += sizeOf(value);
        part.missing = value.subarray(0, HASH_BYTES);
      } else {
        others.push({ type: "del", key });
        if (others.length === BATCH) await this.table.batch(others.splice(0));
      }
    }
    await this.table.batch(others);
    return part;
  }

  /** Blocks from `first` on, after {@link remaining} has removed others. */
  async *blocks(first: number): AsyncGenerator<{ number: number; place: BlockPlace }> {
    for await (const [key, value] of this.table.iterator({ gte: numberKey(first), lt: COMPLETE })) {
      const position = value.subarray(HASH_BYTES + SIZE_BYTES);
      yield { number: numberOf(key), place: { hash: hashOf(key), size: sizeOf(value), position } };
    }
  }

  close(): Promise<void> {
    return this.table.close();
  }

  /** Deletes the table. */
  async remove(): Promise<void> {
    await this.close();
    rmSync(this.folder, { recursive: true });
  }
}

type Put = { type: "put"; key: Uint8Array; value: Uint8Array };
type Delete = { type: "del"; key: Uint8Array };

/** Undefined if the RLP does not begin with a header. */
function entryOf({ hash, size, position }: BlockPlace, rlp: Uint8Array): Put | undefined {
  try {
    const [header] = decodeRlpList(rlp);
    const parent = header!.items[PARENT_HASH]!.bytes;
    const number = bytesToNumber(header!.items[NUMBER]!.bytes);
    if (hash.length !== HASH_BYTES || parent.length !== HASH_BYTES || number > MAX_NUMBER) return undefined;
    return {
      type: "put",
      key: concatBytes(numberKey(number), hash),
      value: concatBytes(parent, leftPad(numberToBytes(size), SIZE_BYTES), position),
    };
  } catch (error) {
    if (error instanceof RlpError || error instanceof PrimitivesError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function numberKey(number: number): Uint8Array {
  return leftPad(numberToBytes(number), NUMBER_BYTES);
}

function numberOf(key: Uint8Array): number {
  return bytesToNumber(key.subarray(0, NUMBER_BYTES));
}

function hashOf(key: Uint8Array): Uint8Array {
  return key.subarray(NUMBER_BYTES);
}

function sizeOf(value: Uint8Array): number {
  return bytesToNumber(value.subarray(HASH_BYTES, HASH_BYTES + SIZE_BYTES));
}
