/** Clients whose use is remembered. */
const CAPACITY = 10_000;

/**
 * Fair sharing of threads by start times in virtual time: the next job is that of the client which has used the least
 * thread time. A client that was idle is served next, but gains no credit for the time before.
 */
export class FairShares {
  /** Virtual time in milliseconds at which each client's next job starts; least recently charged first. */
  private readonly starts = new Map<string, number>();
  private clock = 0;

  /** Virtual time at which the client's next job starts: the lowest is next. */
  startOf(client: string): number {
    return Math.max(this.starts.get(client) ?? 0, this.clock);
  }

  /** Records that a job of the client starts. */
  begin(client: string): void {
    this.clock = this.startOf(client);
  }

  /** Forgets all use: nothing runs, and nothing waits. */
  reset(): void {
    this.starts.clear();
    this.clock = 0;
  }

  /** Charges thread time in milliseconds. */
  charge(client: string, time: number): void {
    const start = this.startOf(client) + time;
    this.starts.delete(client);
    this.starts.set(client, start);
    if (this.starts.size > CAPACITY) this.starts.delete(this.starts.keys().next().value as string);
  }
}
