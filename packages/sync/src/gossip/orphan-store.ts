import type { PeerId } from "@cambium/networking";
import { append, toHex } from "@cambium/primitives";
import type { CheckedBlock } from "./received-block.js";

/** A block with a missing ancestor. */
export interface Orphan extends CheckedBlock {
  /** Peer that sent it. */
  readonly from: PeerId;
}

export interface OrphanLimits {
  blocks: number;
  bytes: number;
  blocksPerPeer: number;
}

/** Default limits (`spec/07 §D.5`). */
export const ORPHAN_LIMITS: OrphanLimits = { blocks: 256, bytes: 64 * 1024 * 1024, blocksPerPeer: 32 };

interface Entry extends Orphan {
  readonly parent: string;
  /** Sum of the difficulties of the block and its ancestors in this store: the work it is known to represent. */
  work: bigint;
}

/**
 * Orphan blocks by hash and by parent, in bounded memory. The caller must have verified a block's proof of work and
 * that its body matches the header. Otherwise a forged body would keep the valid one out.
 */
export class OrphanStore {
  private readonly entries = new Map<string, Entry>();
  private readonly children = new Map<string, Set<Entry>>();
  private readonly counts = new Map<PeerId, number>();
  private size = 0;

  constructor(private readonly limits: OrphanLimits = ORPHAN_LIMITS) {}

  get count(): number {
    return this.entries.size;
  }

  /** Total size of the encoded blocks. */
  get bytes(): number {
    return this.size;
  }

  /** The orphan with a hex hash; undefined if there is none. */
  get(id: string): Orphan | undefined {
    return this.entries.get(id);
  }

  /** Adds a block, evicting others if a limit is reached; returns false if the block itself was evicted. */
  add(orphan: Orphan): boolean {
    if (this.entries.has(orphan.id)) return true;
    const parent = toHex(orphan.header.parentHash);
    const entry: Entry = { ...orphan, parent, work: 0n };
    this.entries.set(entry.id, entry);
    this.children.set(parent, (this.children.get(parent) ?? new Set()).add(entry));
    this.counts.set(entry.from, (this.counts.get(entry.from) ?? 0) + 1);
    this.size += entry.encoded.length;
    this.addWork(entry, orphan.header.difficultyValue + (this.entries.get(parent)?.work ?? 0n));
    this.makeRoom(entry.from);
    return this.entries.has(orphan.id);
  }

  /** Returns the nearest missing ancestor of an orphan. */
  missingAncestor(orphan: Orphan): { hash: Uint8Array; number: number } {
    let { header } = orphan;
    for (;;) {
      const parent = this.entries.get(toHex(header.parentHash));
      if (parent === undefined) return { hash: header.parentHash, number: header.number - 1 };
      ({ header } = parent);
    }
  }

  /** Removes and returns the children of a block. */
  takeChildren(id: string): Orphan[] {
    const children = [...(this.children.get(id) ?? [])];
    for (const child of children) this.remove(child);
    return children;
  }

  /** Removes all descendants of a block. */
  dropDescendants(id: string): void {
    const waiting = [id];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      append(
        waiting,
        this.takeChildren(next).map((child) => child.id),
      );
    }
  }

  /** Removes blocks outside of a range of heights. */
  prune(lowest: number, highest: number): void {
    for (const entry of [...this.entries.values()]) {
      if (entry.header.number < lowest || entry.header.number > highest) this.remove(entry);
    }
  }

  private makeRoom(peer: PeerId): void {
    const { blocks, bytes, blocksPerPeer } = this.limits;
    while ((this.counts.get(peer) ?? 0) > blocksPerPeer) this.remove(this.least((entry) => entry.from === peer));
    while (this.entries.size > blocks || this.size > bytes) this.remove(this.least(() => true));
  }

  /** Returns the oldest of the entries with the lowest work; a map iterates in order of insertion. */
  private least(isEligible: (entry: Entry) => boolean): Entry {
    let least: Entry | undefined;
    for (const entry of this.entries.values()) {
      if (isEligible(entry) && (least === undefined || entry.work < least.work)) least = entry;
    }
    return least!;
  }

  private remove(entry: Entry): void {
    this.entries.delete(entry.id);
    const siblings = this.children.get(entry.parent);
    siblings?.delete(entry);
    if (siblings?.size === 0) this.children.delete(entry.parent);
    const count = this.counts.get(entry.from)! - 1;
    if (count === 0) this.counts.delete(entry.from);
    else this.counts.set(entry.from, count);
    this.size -= entry.encoded.length;
    for (const child of this.children.get(entry.id) ?? []) this.addWork(child, -entry.work);
  }

  /** Adds work to a block and all its descendants. */
  private addWork(entry: Entry, work: bigint): void {
    const waiting = [entry];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      next.work += work;
      append(waiting, this.children.get(next.id) ?? []);
    }
  }
}
