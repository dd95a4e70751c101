import type { PoolListener, TransactionPoolApi } from "@cambium/txpool";
import type { Transaction } from "@cambium/types";

/** An empty pool whose events are emitted by the test. */
export class FakePool {
  private readonly listeners = new Set<PoolListener>();

  announce(transactions: readonly Transaction[]): void {
    for (const listener of this.listeners) listener({ kind: "newPending", transactions, cause: "remote" });
  }

  /** The pool as the package under test sees it. */
  api(changes: Partial<TransactionPoolApi> = {}): TransactionPoolApi {
    const api: Partial<TransactionPoolApi> = {
      pending: () => [],
      queued: () => [],
      get: () => undefined,
      counts: () => ({ pending: 0, queued: 0, bytes: 0 }),
      pendingNonce: () => 0n,
      ordered: () => [],
      gasPrice: () => 0n,
      knownSender: () => undefined,
      on: (listener) => {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
      },
      ...changes,
    };
    return api as TransactionPoolApi;
  }
}
