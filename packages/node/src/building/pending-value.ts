import type { ChainReader } from "@cambium/chain";
import { equalBytes } from "@cambium/primitives";
import type { PoolReader } from "@cambium/txpool";
import type { Transaction } from "@cambium/types";

/** Best block and pending transactions at one moment. */
export interface PendingBasis {
  parentHash: Uint8Array;
  transactions: readonly Transaction[];
}

interface Computation<Value> {
  basis: PendingBasis;
  value: Promise<Value>;
  isDone: boolean;
}

/**
 * A value that is expensive to compute from the pending transactions: computed on request, and again after the best block or
 * the pending transactions have changed. One computation runs at a time; all requests during one share the next.
 */
export class PendingValue<Value> {
  private latest: Computation<Value> | undefined;
  private next: Promise<Value> | undefined;

  constructor(
    private readonly chain: Pick<ChainReader, "best">,
    private readonly pool: Pick<PoolReader, "ordered">,
    private readonly compute: (basis: PendingBasis) => Promise<Value>,
  ) {}

  /** The value of the present moment or a later one. Rejects if the computation does; the next request then repeats it. */
  get(): Promise<Value> {
    const { latest } = this;
    if (latest === undefined || latest.isDone) return this.current(latest);
    if (this.isCurrent(latest.basis)) return latest.value;
    this.next ??= this.after(latest);
    return this.next;
  }

  /** The next request computes the value again even if nothing has changed. */
  forget(): void {
    this.latest = undefined;
  }

  private current(done: Computation<Value> | undefined): Promise<Value> {
    return done !== undefined && this.isCurrent(done.basis) ? done.value : this.start();
  }

  private async after({ value }: Computation<Value>): Promise<Value> {
    await value.catch(() => undefined);
    this.next = undefined;
    return this.get();
  }

  private start(): Promise<Value> {
    const basis = { parentHash: this.chain.best().hash, transactions: this.pool.ordered() };
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
  private isCurrent({ parentHash, transactions }: PendingBasis): boolean {
    return this.pool.ordered() === transactions && equalBytes(this.chain.best().hash, parentHash);
  }
}
