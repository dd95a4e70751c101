import { toHex } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import type { ImportResult } from "../interface.js";

/** How far ahead of the best block a block may be to be held (`spec/02 §5.1`, step 4). */
const MAX_LEAD = 192 * 20;
/** Blocks held at most; the ones furthest ahead leave first. */
const MAX_HELD = 4096;

/** What the queue needs of the chain. */
export interface ImportTarget {
  best(): { header: { number: number } };
  headerByHash(hash: Uint8Array): { number: number } | undefined;
  import(block: Block): Promise<ImportResult>;
}

/** One block connected (or refused) by {@link ImportQueue.process}. */
export interface QueueImport {
  hash: Uint8Array;
  result: ImportResult;
}

/** What became of a block that arrived. */
export type Arrival =
  /** `imports` in order: ancestors that were waiting, the block, descendants that were waiting. */
  | { kind: "connected"; imports: QueueImport[] }
  /** Held; `missing` is the nearest ancestor that nobody has shown yet. */
  | { kind: "held"; missing: Uint8Array }
  | { kind: "already-known" }
  | { kind: "too-advanced" };

/**
 * Takes blocks in any order. One whose parent is not connected is held in memory until the parent arrives
 * (`spec/02 §5.1`); the number of held blocks is bounded.
 */
export class ImportQueue {
  private readonly held = new Map<string, Block>();
  private readonly children = new Map<string, Set<string>>();

  constructor(private readonly chain: ImportTarget) {}

  get size(): number {
    return this.held.size;
  }

  async process(block: Block): Promise<Arrival> {
    const best = this.chain.best().header.number;
    if (block.number > best + MAX_LEAD) return { kind: "too-advanced" };
    if (this.isConnected(block.hash)) return { kind: "already-known" };
    this.hold(block);
    const line = this.lineOf(block);
    if ("missing" in line) return { kind: "held", missing: line.missing };
    return { kind: "connected", imports: await this.connect(line.blocks) };
  }

  private isConnected(hash: Uint8Array): boolean {
    return this.chain.headerByHash(hash) !== undefined;
  }

  /** The block and its held ancestors, ascending, if the first one's parent is connected. */
  private lineOf(block: Block): { blocks: Block[] } | { missing: Uint8Array } {
    const blocks = [block];
    for (let parentHash = block.header.parentHash; !this.isConnected(parentHash); ) {
      const parent = this.held.get(toHex(parentHash));
      if (parent === undefined) return { missing: parentHash };
      blocks.unshift(parent);
      parentHash = parent.header.parentHash;
    }
    return { blocks };
  }

  /** Connects the blocks and then the held children of what was connected; a refused block is not held any longer. */
  private async connect(blocks: Block[]): Promise<QueueImport[]> {
    const imports: QueueImport[] = [];
    const waiting = [...blocks];
    for (let block = waiting.shift(); block !== undefined; block = waiting.shift()) {
      const result = await this.chain.import(block);
      imports.push({ hash: block.hash, result });
      this.release(block);
      if (!this.isConnected(block.hash)) continue;
      for (const child of this.children.get(toHex(block.hash)) ?? []) {
        const waitingChild = this.held.get(child)!;
        if (!waiting.includes(waitingChild)) waiting.push(waitingChild);
      }
    }
    return imports;
  }

  private hold(block: Block): void {
    const key = toHex(block.hash);
    this.held.set(key, block);
    const parent = toHex(block.header.parentHash);
    const siblings = this.children.get(parent) ?? new Set();
    this.children.set(parent, siblings.add(key));
    if (this.held.size > MAX_HELD) this.release(this.furthest());
  }

  private furthest(): Block {
    let furthest: Block | undefined;
    for (const block of this.held.values()) {
      if (furthest === undefined || block.number > furthest.number) furthest = block;
    }
    return furthest!;
  }

  private release(block: Block): void {
    const key = toHex(block.hash);
    this.held.delete(key);
    const parent = toHex(block.header.parentHash);
    const siblings = this.children.get(parent);
    siblings?.delete(key);
    if (siblings?.size === 0) this.children.delete(parent);
  }
}
