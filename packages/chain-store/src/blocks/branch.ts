import { equalBytes } from "@cambium/primitives";
import type { AncestorReader } from "@cambium/state";
import type { BlockHeader } from "@cambium/types";
import type { ChainStore } from "./chain-store.js";

/** Headers of the best chain by number. */
export interface BestChainHeaders {
  get(number: number): BlockHeader | undefined;
}

/**
 * The branch that ends with a given block: parent links down to the best chain, and the best chain below. Valid until a
 * reorganisation changes the best chain below that point.
 */
export class Branch implements AncestorReader {
  /** Headers that are not on the best chain, in descending order from the tip. */
  private readonly side: BlockHeader[] = [];
  /** Number of the highest block that is also on the best chain. */
  private readonly junction: number;

  constructor(
    private readonly store: ChainStore,
    private readonly bestChain: BestChainHeaders,
    readonly tip: BlockHeader,
  ) {
    let header: BlockHeader | undefined = tip;
    while (header !== undefined && !this.isOnBestChain(header)) {
      this.side.push(header);
      header = store.header(header.parentHash);
    }
    this.junction = header?.number ?? -1;
  }

  hash(number: number): Uint8Array | undefined {
    return this.header(number)?.hash;
  }

  header(number: number): BlockHeader | undefined {
    if (number < 0 || number > this.tip.number) return undefined;
    return number > this.junction ? this.side[this.tip.number - number] : this.bestChain.get(number);
  }

  uncles(number: number): readonly BlockHeader[] | undefined {
    const header = this.header(number);
    return header === undefined ? undefined : this.store.uncles(header.hash);
  }

  totalDifficulty(number: number): bigint | undefined {
    const header = this.header(number);
    return header === undefined ? undefined : this.store.outcome(header.hash)?.totalDifficulty;
  }

  private isOnBestChain(header: BlockHeader): boolean {
    const best = this.bestChain.get(header.number);
    return best !== undefined && equalBytes(best.hash, header.hash);
  }
}
