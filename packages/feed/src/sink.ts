import { FeedError } from "./errors.js";
import type { BlockRows } from "./rows.js";
import type { BlockTable, Row } from "./schema.js";

/** The chain and the tables that a destination holds. */
export interface Content {
  chainId: number;
  /** Hash of block 0. */
  genesis: string;
  tables: readonly BlockTable[];
}

/** A block whose rows a destination holds completely, and no rows of any higher block. */
export interface Position {
  number: number;
  hash: string;
}

/** Limits at which waiting rows are written. */
export interface BatchLimits {
  blocks: number;
  bytes: number;
  /** Whether smaller batches are written if the node has no more blocks. */
  isEager: boolean;
}

/**
 * A destination of rows, which stores its own position. Any method may reject: the next call is then {@link open},
 * which determines what has arrived. Rejects with `FeedError` if another attempt cannot help.
 */
export interface Sink {
  readonly limits: BatchLimits;
  /**
   * Retracts or removes what an interrupted {@link write} or {@link retract} left behind. Returns undefined if there
   * are no blocks yet.
   */
  open(content: Content): Promise<Position | undefined>;
  /** Returns the hash of the block with a number up to the position; undefined below the first block. */
  hashAt(number: number): Promise<string | undefined>;
  /** Adds blocks that follow the position, each the child of its predecessor. Resolves when they are durable. */
  write(blocks: readonly BlockRows[]): Promise<void>;
  /** Retracts all blocks above a number, or all blocks. */
  retract(above: number | undefined): Promise<void>;
  /** Adds rows of `pool_events`, best effort. */
  writePool(rows: readonly Row[]): Promise<void>;
  close(): Promise<void>;
}

/** Chain and tables of a destination, as it stores them. */
export type StoredContent = Readonly<Record<"chainId" | "genesis" | "tables", unknown>>;

const ASPECTS = ["chainId", "genesis", "tables"] as const;

export function hasContent(found: StoredContent, expected: StoredContent): boolean {
  return ASPECTS.every((what) => String(found[what]) === String(expected[what]));
}

/** Validates the position that a destination has stored. Throws {@link FeedError} `SINK`. */
export function requirePosition(target: string, number: unknown, hash: unknown): Position {
  const isNumber = Number.isSafeInteger(number) && (number as number) >= 0;
  if (isNumber && typeof hash === "string" && /^0x[0-9a-f]{64}$/.test(hash)) return { number: number as number, hash };
  throw new FeedError({ code: "SINK", target, reason: `its position is damaged: block ${number}, hash ${hash}` });
}

/** Throws {@link FeedError} `OTHER_CONTENT` unless a destination holds what is expected. */
export function requireContent(target: string, found: StoredContent, expected: StoredContent): void {
  for (const what of ASPECTS) {
    if (String(found[what]) === String(expected[what])) continue;
    const values = { found: String(found[what]), expected: String(expected[what]) };
    throw new FeedError({ code: "OTHER_CONTENT", target, what, ...values });
  }
}
