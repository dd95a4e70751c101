import type { ChainReader } from "@cambium/chain";
import { isSameRequest, type NextBlockRequest } from "@cambium/miner";
import { equalBytes } from "@cambium/primitives";
import type { PoolReader } from "@cambium/txpool";
import type { Transaction } from "@cambium/types";

/** Best block, pending transactions and settings of the next block at one moment. */
export interface PendingBasis {
  parentHash: Uint8Array;
  transactions: readonly Transaction[];
  next: NextBlockRequest;
}

interface Computation<Value> {
  basis: PendingBasis;
  value: Promise<Value>;
  isDone: boolean;
}

/**
 * A value that is expensive to compute from the pending transactions. It is computed on request, and again after a
 * change of the best block, the pending transactions or the settings of the next block. One computation runs at a time;
 * all requests during a computation share the next one.
 */
export class PendingValue<Value> {
  private latest: Computation<Value> | undefined;
  private following: Promise<Value> | undefined;

  constructor(
    private readonly chain: Pick<ChainReader, "best">,
    private readonly pool: Pick<PoolReader, "ordered">,
    private readonly next: () => NextBlockRequest,
    private readonly compute: (basis: PendingBasis) => Promise<Value>,
  ) {}

  /**
   * Returns the value of the present moment or a later one. Rejects if the computation does; the next request then
   * repeats it.
   */
  get(): Promise<Value> {
    const { latest } = this;
    if (latest === undefined || latest.isDone) return this.current(latest);
    if (this.isCurrent(latest.basis)) return latest.value;
    this.following ??= this.after(latest);
    return this.following;
  }

  /** Makes the next request compute the value again, even without a change. */
  forget(): void {
    this.latest = undefined;
  }

  private current(done: Computation<Value> | undefined): Promise<Value> {
    return done !== undefined && this.isCurrent(done.basis) ? done.value : this.start();
  }

  private async after({ value }: Computation<Value>): Promise<Value> {
    await value.catch(() => undefined);
    this.following = undefined;
    return this.get();
  }

  private start(): Promise<Value> {
    const basis = { parentHash: this.chain.best().hash, transactions: this.pool.ordered(), next: this.next() };
    const computation: Computation<Value> = { basis, value: this.compute(basis), isDone: false };
    this.latest = computation;
    computation.value.then(
      () => {
        computation.isDone = true;
      },
      () => {
        if (this.latest === computation) this.latest = undefined;
      },
    );
    return computation.value;
  }

  /** The pool has a new list after each change. */
  private isCurrent({ parentHash, transactions, next }: PendingBasis): boolean {
    if (this.pool.ordered() !== transactions || !isSameRequest(next, this.next())) return false;
    return equalBytes(this.chain.best().hash, parentHash);
  }
}
