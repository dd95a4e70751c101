/** Number of the first block of the history. */
export const FIRST = 2;
/** Number of accounts that the blocks change in turn: a long history changes each several times. */
const CHANGING = 30_000;
/**
 * Number of accounts that a block changes. The last blocks change more, so that many values have changed since shortly
 * before the best block.
 */
const [USUALLY, AT_LAST] = [1, 10];
const LAST_BLOCKS = 100;

/**
 * Determines which accounts of a large state the blocks of a history change: one after the other, starting again after
 * the last.
 */
export class Changes {
  private readonly accounts: number;
  private readonly changing: number;
  /** Number of the last block before those that change more. */
  private readonly turn: number;

  constructor(
    entries: number,
    readonly head: number,
  ) {
    this.accounts = Math.floor(entries / 2);
    this.changing = Math.min(CHANGING, Math.floor(this.accounts / 2));
    this.turn = Math.max(head - LAST_BLOCKS, FIRST - 1);
  }

  /** Returns the indexes of the accounts that a block changes. */
  in(number: number): number[] {
    const first = this.upTo(number - 1);
    return Array.from({ length: this.upTo(number) - first }, (_, i) => (first + i) % this.changing);
  }

  /** Returns the number of the block up to this one that changed an account last; undefined if none did. */
  last(index: number, number: number): number | undefined {
    const count = this.upTo(number);
    if (index >= this.changing || index >= count) return undefined;
    const change = count - 1 - ((count - 1 - index) % this.changing);
    const usual = this.upTo(this.turn);
    if (change < usual) return FIRST + Math.floor(change / USUALLY);
    return this.turn + 1 + Math.floor((change - usual) / AT_LAST);
  }

  /**
   * Returns the indexes of at most `most` accounts, evenly chosen: of those that have changed after a block, or of all
   * if it is the best one.
   */
  toRead(number: number, most: number): number[] {
    const count = this.upTo(this.head);
    const isBest = number === this.head;
    const range = isBest ? this.accounts : Math.min(count - this.upTo(number), this.changing);
    const chosen = Math.min(most, range);
    const places = Array.from({ length: chosen }, (_, i) => Math.floor((i * range) / chosen));
    return isBest ? places : places.map((place) => (count + this.changing - 1 - place) % this.changing);
  }

  /** Index of an account that does not change. */
  get unchanged(): number {
    return this.accounts - 1;
  }

  /** Returns the number of changes in the blocks up to this one. */
  private upTo(number: number): number {
    return (number - FIRST + 1) * USUALLY + Math.max(number - this.turn, 0) * (AT_LAST - USUALLY);
  }
}
