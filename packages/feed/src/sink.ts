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

/** A block of which a destination holds all rows, and of no higher one. */
export interface Position {
  number: number;
  hash: string;
}

/** When rows are passed on. */
export interface BatchLimits {
  blocks: number;
  bytes: number;
  /** Whether fewer are passed on if the node has no more blocks. */
  isEager: boolean;
}

/**
 * A destination of rows, which knows by itself up to where it has them. Any method may reject; {@link open} is then the
 * next call, and it finds out what has arrived. Rejects with `FeedError` if trying again cannot help.
 */
export interface Sink {
  readonly limits: BatchLimits;
  /**
   * Retracts or removes what an interrupted {@link write} or {@link retract} has left. Undefined: there are no blocks
   * yet.
   */
  open(content: Content): Promise<Position | undefined>;
  /** Hash of the block with a number up to the position; undefined below the first block. */
  hashAt(number: number): Promise<string | undefined>;
  /** Adds blocks that follow the position, each the child of the one before. Resolves when they are durable. */
  write(blocks: readonly BlockRows[]): Promise<void>;
  /** Retracts all blocks above a number, or all blocks. */
  retract(above: number | undefined): Promise<void>;
  /** Adds rows of `pool_events`, best effort. */
  writePool(rows: readonly Row[]): Promise<void>;
  close(): Promise<void>;
}

/** What a destination says of itself. */
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
