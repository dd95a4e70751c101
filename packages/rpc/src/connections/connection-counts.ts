/** Numbers of open connections, in total and of each client, which several threads may share. */
export interface ConnectionCounts {
  readonly total: number;
  of(client: string): number;
  add(client: string): void;
  remove(client: string): void;
}

/** Counts of one thread. */
export class OwnCounts implements ConnectionCounts {
  total = 0;
  private readonly clients = new Map<string, number>();

  of(client: string): number {
    return this.clients.get(client) ?? 0;
  }

  add(client: string): void {
    this.total++;
    this.clients.set(client, this.of(client) + 1);
  }

  remove(client: string): void {
    this.total--;
    const left = this.of(client) - 1;
    if (left > 0) this.clients.set(client, left);
    else this.clients.delete(client);
  }
}

/**
 * Number of counters of a thread: the first is for all connections, the others for clients by the hash of their
 * address.
 */
const ROW = 4_096;

/** Memory shared by threads. Each thread changes the counts in its own row only. */
export interface SharedCountsMemory {
  /** {@link ROW} counters for each thread. */
  counters: Int32Array;
  /** Makes the hashes unpredictable for clients. */
  seed: number;
}

export function sharedCountsMemory(threads: number, seed: number): SharedCountsMemory {
  return { counters: new Int32Array(new SharedArrayBuffer(threads * ROW * Int32Array.BYTES_PER_ELEMENT)), seed };
}

/** Counts of several threads. Clients with equal hashes, one in thousands, share a counter. */
export class SharedCounts implements ConnectionCounts {
  constructor(
    private readonly memory: SharedCountsMemory,
    private readonly thread: number,
  ) {}

  get total(): number {
    return this.sum(0);
  }

  of(client: string): number {
    return this.sum(this.columnOf(client));
  }

  add(client: string): void {
    this.change(client, 1);
  }

  remove(client: string): void {
    this.change(client, -1);
  }

  /** Forgets the connections of a thread that has ended. */
  clear(): void {
    this.memory.counters.fill(0, this.thread * ROW, (this.thread + 1) * ROW);
  }

  private change(client: string, by: number): void {
    const { counters } = this.memory;
    for (const column of [0, this.columnOf(client)]) Atomics.add(counters, this.thread * ROW + column, by);
  }

  private sum(column: number): number {
    const { counters } = this.memory;
    let sum = 0;
    for (let at = column; at < counters.length; at += ROW) sum += Atomics.load(counters, at);
    return sum;
  }

  /** Returns the column of a client, by FNV-1a with a seed; never the column of all connections. */
  private columnOf(client: string): number {
    let hash = this.memory.seed | 0;
    for (let i = 0; i < client.length; i++) hash = Math.imul(hash ^ client.charCodeAt(i), 0x01000193);
    return 1 + ((hash >>> 0) % (ROW - 1));
  }
}
