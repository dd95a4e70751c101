/** The bytes that a connection holds of a {@link ByteBudget}. */
export interface Share {
  /** Takes bytes. Returns false and takes none if the budget is exceeded and this connection holds the most. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  /** Returns all bytes. */
  end(): void;
  readonly bytes: number;
}

/**
 * A limit on the bytes that all connections hold together. When it is exceeded, the largest connection of the client
 * that holds the most is closed. A few greedy clients therefore do not stop others from being served.
 */
export class ByteBudget {
  private total = 0;
  private readonly clients = new Map<string, Client>();

  /** `limit` in bytes, 0: no limit. `givesWay` determines which of equally large connections is closed. */
  constructor(
    private readonly limit: number,
    private readonly givesWay: "oldest" | "newest" = "oldest",
  ) {}

  /** Creates a share. `onExceeded` must release the bytes immediately; they have already been returned. */
  share(client: string, onExceeded: () => void): Share {
    return new BudgetShare(this, client, onExceeded);
  }

  /** @internal */
  add(share: BudgetShare, bytes: number): boolean {
    const client = this.clients.get(share.client) ?? { bytes: 0, shares: new Set() };
    this.clients.set(share.client, client);
    client.shares.add(share);
    this.change(share, client, bytes);
    while (this.limit > 0 && this.total > this.limit) {
      const largest = this.largest();
      if (largest === share) {
        this.change(share, client, -bytes);
        return false;
      }
      largest.end();
      largest.onExceeded();
    }
    return true;
  }

  /** @internal */
  remove(share: BudgetShare, bytes: number): void {
    const client = this.clients.get(share.client);
    if (client !== undefined) this.change(share, client, -bytes);
  }

  /**
   * @internal Forgets the entry of a connection. Connections with requests keep theirs, so that no request creates one.
   */
  forget(share: BudgetShare): void {
    const client = this.clients.get(share.client);
    client?.shares.delete(share);
    if (client?.shares.size === 0) this.clients.delete(share.client);
  }

  private change(share: BudgetShare, client: Client, bytes: number): void {
    share.bytes += bytes;
    client.bytes += bytes;
    this.total += bytes;
  }

  private largest(): BudgetShare {
    const client = maximum([...this.clients.values()]);
    const shares = [...client.shares];
    return maximum(this.givesWay === "oldest" ? shares : shares.reverse());
  }
}

interface Client {
  bytes: number;
  shares: Set<BudgetShare>;
}

class BudgetShare implements Share {
  bytes = 0;

  constructor(
    private readonly budget: ByteBudget,
    readonly client: string,
    readonly onExceeded: () => void,
  ) {}

  take(bytes: number): boolean {
    return bytes === 0 || this.budget.add(this, bytes);
  }

  give(bytes: number): void {
    // A share that ended when the budget was exceeded no longer holds any bytes.
    const held = Math.min(bytes, this.bytes);
    if (held > 0) this.budget.remove(this, held);
  }

  end(): void {
    this.give(this.bytes);
    this.budget.forget(this);
  }
}

/** Returns the first of the largest items. */
function maximum<T extends { bytes: number }>(items: readonly T[]): T {
  return items.reduce((largest, item) => (item.bytes > largest.bytes ? item : largest));
}
