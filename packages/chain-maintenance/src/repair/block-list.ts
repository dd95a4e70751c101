import { readNumber, writeNumber } from "@cambium/database";

const RECORD = 40;
/** A position of a record, with room for ten times the blocks of any network. */
const POSITIONS = 2 ** 27;

/** A list of millions of blocks in little memory, sorted by number. */
export class BlockList {
  private bytes = new Uint8Array(RECORD * 1024);
  private length = 0;

  add(number: number, hash: Uint8Array): void {
    const at = this.length++ * RECORD;
    if (at + RECORD > this.bytes.length) {
      const larger = new Uint8Array(this.bytes.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    writeNumber(this.bytes.subarray(at), 0, number);
    this.bytes.set(hash, at + 8);
  }

  get size(): number {
    return this.length;
  }

  /** The hashes of each number, ascending. */
  *byNumber(): Generator<{ number: number; hashes: Uint8Array[] }> {
    let group: { number: number; hashes: Uint8Array[] } | undefined;
    for (const position of this.sortedPositions()) {
      const at = position * RECORD;
      const number = readNumber(this.bytes, at);
      if (group !== undefined && group.number !== number) yield group;
      if (group?.number !== number) group = { number, hashes: [] };
      group.hashes.push(this.bytes.slice(at + 8, at + RECORD));
    }
    if (group !== undefined) yield group;
  }

  private *sortedPositions(): Generator<number> {
    const ranked = new Float64Array(this.length);
    for (let i = 0; i < this.length; i++) ranked[i] = readNumber(this.bytes, i * RECORD) * POSITIONS + i;
    for (const rank of ranked.sort()) yield rank % POSITIONS;
  }
}
