import type { PlainChainEvent } from "./import-messages.js";

/** The parts of an event that concern the best chain. */
export type AnnouncedBlock = Pick<PlainChainEvent, "kind" | "number" | "hash" | "reorganisation">;

/** Blocks below the best one whose hashes are kept. */
const DEPTH = 1024;

/**
 * The latest part of the best chain as of the last announced block. Another thread writes the database, which may be
 * some blocks ahead or already on another branch.
 */
export class AnnouncedChain {
  private readonly hashes = new Map<number, Uint8Array>();

  /** `hashAt` reads the database, to which no thread may write yet. */
  constructor(
    /** Number of the best block. */
    public number: number,
    public hash: Uint8Array,
    private readonly hashAt: (number: number) => Uint8Array | undefined,
    /** Number of the lowest block that is kept: those below a fork never change, and each would be a request. */
    firstBlock = 0,
  ) {
    for (let below = Math.max(number - DEPTH, firstBlock); below <= number; below++) {
      const known = hashAt(below);
      if (known !== undefined) this.hashes.set(below, known);
    }
  }

  /** Below the kept hashes, this reads the database, which is wrong only if a reorganisation goes that deep. */
  at(number: number): Uint8Array | undefined {
    return number > this.number ? undefined : (this.hashes.get(number) ?? this.hashAt(number));
  }

  /** Moves the best block, unless the announced one is on a side chain. */
  follow({ kind, number, hash, reorganisation }: AnnouncedBlock): void {
    if (kind === "sideBlock") return;
    const added = reorganisation?.added ?? [hash];
    const ancestor = number - added.length;
    for (let above = ancestor + 1; above <= this.number; above++) this.hashes.delete(above);
    for (const [index, one] of added.entries()) this.keep(ancestor + 1 + index, one);
    this.number = number;
    this.hash = hash;
  }

  private keep(number: number, hash: Uint8Array): void {
    this.hashes.set(number, hash);
    this.hashes.delete(number - DEPTH - 1);
  }
}
