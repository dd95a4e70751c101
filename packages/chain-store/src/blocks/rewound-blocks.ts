import { type Database, readNumber, type Table, type Write } from "@cambium/database";
import { bytesToNumber, decodeRlpList } from "@cambium/primitives";
import { TABLES } from "../tables/tables.js";

/** Tables whose keys are numbers of blocks. */
const BY_NUMBER: ReadonlySet<number> = new Set([TABLES.bestChain, TABLES.siblings, TABLES.stateDiffs]);
/** Position of the number in the RLP list of a header. */
const NUMBER_FIELD = 8;

/**
 * A database in which a rewind is one small change, however many blocks it removes. The removed blocks are still
 * stored, but hidden by this class until they are deleted: those with the highest numbers first, and each other one
 * when a new block takes its number. Only this handle may write data that are read through it.
 */
export class RewoundBlocks implements Database {
  /** Numbers of the blocks that are hidden: all that are stored with one of these. */
  private lowest = 0;
  private highest = -1;

  constructor(
    /** The same without hiding anything. */
    readonly stored: Database,
    /**
     * Delays writes until the returned function is called: on disk, the removed blocks must be deleted together with
     * the change of the best block. Undefined if that is impossible: all of them must then be deleted immediately.
     */
    readonly hold: (() => () => void) | undefined,
  ) {}

  get isEmpty(): boolean {
    return this.lowest > this.highest;
  }

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    const value = this.stored.get(table, key);
    return value === undefined || this.isEmpty || !this.isHidden(table, key) ? value : undefined;
  }

  private isHidden(table: Table, key: Uint8Array): boolean {
    if (BY_NUMBER.has(table)) return this.hides(readNumber(key, 0));
    if (table !== TABLES.outcomes) return false;
    const header = this.stored.get(TABLES.headers, key);
    return header !== undefined && this.hides(bytesToNumber(decodeRlpList(header)[NUMBER_FIELD]!.bytes));
  }

  /** Whether all blocks that are stored with a number are hidden. */
  hides(number: number): boolean {
    return number >= this.lowest && number <= this.highest;
  }

  /** Hides all blocks above a number; `best` is the highest number that is not hidden yet. */
  hideAbove(number: number, best: number): void {
    this.highest = this.isEmpty ? best : Math.max(this.highest, best);
    this.lowest = number + 1;
  }

  /**
   * Reveals the lowest hidden number. Call this when the blocks with that number are deleted because of a new block.
   */
  reveal(number: number): void {
    if (this.hides(number)) this.lowest = number + 1;
  }

  /** Up to `count` of the hidden numbers, highest first. */
  highestNumbers(count: number): number[] {
    const length = Math.min(count, this.highest - this.lowest + 1);
    return Array.from({ length }, (_, i) => this.highest - i);
  }

  /** Reveals the `count` highest numbers. Call this when the blocks with those numbers are deleted. */
  revealHighest(count: number): void {
    this.highest -= count;
  }

  write(batch: readonly Write[]): Promise<void> {
    return this.stored.write(batch);
  }

  entries(table: Table, prefix?: Uint8Array): ReturnType<Database["entries"]> {
    return this.stored.entries(table, prefix);
  }

  close(): Promise<void> {
    return this.stored.close();
  }
}
